"""Reports: self-contained HTML pages without external scripts, styles or fonts.

pool    the report of a pool and its benchmark   (solved: the section about its solved games)
page    the frame of a page, tables, numbers   (page.css, page.js)
svg     charts as inline SVG; colours come from the style sheet, which knows light and dark
"""

from tournament.report.pool import pool_report

__all__ = ["pool_report"]
