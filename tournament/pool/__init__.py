"""Pools of games: cells of Parquet files in a folder or a store, written by workers (docs/pools.md).

grid     cells, and the names of their files          layout   the settings, and the one way to read cells
work     what is done to a cell, in a worker          damage   what is wrong with a pool, and the line that repairs
build    seeds -> candidates and games                score    games -> scores
repeats  no game twice                                retest   a second play of some games
select   scores -> benchmark                          split    games -> train, test and hold-out
stats    what the pool is like
"""
