"""Pools of games: a folder of Parquet parts that grows by whole parts, whatever happens to the process.

    DIR/pool.json                        what the pool is: seeds, complexity, builder (written first)
    DIR/games/part-000000000128.parquet  the candidates of one block of seeds, named by the block's first seed
    DIR/scores/fast/part-...parquet      axes of the block's accepted games, one folder per tier

layout  pool.json, blocks of seeds, where parts are
work    what is done to one block, in a worker
repeats no game twice
build   seeds -> games      score   games -> scores
split   games -> train, test and hold-out
select  scores -> benchmark stats   what the pool is like
"""
