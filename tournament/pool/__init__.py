"""Pools of games: shards of Parquet files in a folder or a store, written by workers (docs/pools.md).

spans    ranges of seeds, the names of their files, what is missing
layout   pool.json, and where files are
work     what is done to seeds, in a worker
repeats  no game twice
build    seeds -> candidates and games     score   games -> scores (scoring: in a worker)
split    games -> train, test and hold-out            shard_reading   a finished pool, shard by shard
select   scores -> benchmark               stats   what the pool is like
"""
