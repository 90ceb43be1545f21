"""What reports are made of: self-contained HTML pages without external scripts, styles or fonts.

page      the frame of a page, tables   (page.css, page.js)
overview  sections with tables and figures beside a table of contents   (overview.css, contents.js, scatter.js)
arrange   what an analysis found, as groups of sections without empty ones
assets    the style and the script of all pages, put together from their files, and the policy that admits no others
run       a run's page: its overview, and its items packed
pack      the rows and details of a run's items, compressed, for a page that opens from disk

The script, in the order in which its files are put together: `dom.js` makes elements, of text and never of markup;
`source.js` gives data, from the pack or from a server; `shell.js` has the navigation, the lists and the addresses; a
file for each kind of runs renders its items (`matches.js` with the table of `table.js`; `duels.js` and `skate.js` with
`code.js` and `parts.js`), and registers itself at `antemill.kinds`; `live.js` and `news.js` keep a server's pages up to
date; `start.js` begins. What they show comes from a kind's `items` (`antemill.tournament.runs.items`).
"""
