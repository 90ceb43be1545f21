"""What reports are made of: self-contained HTML pages without external scripts, styles or fonts.

page     the frame of a page, tables, pictures   (page.css, page.js)
browser  entries to leaf through: puzzles, questions
svg      scatter plots and histograms as inline SVG; colours come from the style sheet, which knows light and dark
"""
