"""What reports are made of: self-contained HTML pages without external scripts, styles or fonts.

page     the frame of a page, tables, numbers   (page.css, page.js)
sheets   tables of results and figures as parts of a page
browser  entries to leaf through: puzzles, questions
svg      charts as inline SVG; colours come from the style sheet, which knows light and dark
"""
