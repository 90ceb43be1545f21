"""Reports of whatever is in a folder.

folder  the page of a folder; kinds of runs have their own
pool    the report of a pool and its benchmark   (solved: the section about its solved games; run: of the pipeline)
"""

from tournament.report.pool import pool_report

__all__ = ["pool_report"]
