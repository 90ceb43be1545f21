"""Charts as plain SVG: the figures of the papers, the same on pages and in files.

chart    a chart of one or more panels, as a file of its own or as a piece of a page   (charts.css: its colours)
text     how wide a text is, shortened and wrapped ones
axes     scales, ticks, grids, legends
plots    scatter plots, lines with bands, points with whiskers, columns, histograms
ranks    one bar or point a name, with whiskers
radar    one radar a name
heat     heat maps

Numbers go in, text comes out; nothing is drawn twice. Colours are classes of `charts.css`, for light and dark pages; a
file has those of light paper, as plain values that every program reads. Figures distinguish the players by nine colours
after Okabe and Ito, by dashes and by markers. The same numbers give the same bytes.
"""
