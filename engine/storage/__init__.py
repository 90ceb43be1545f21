"""Files that are complete or absent, and pools of games in Parquet files."""
