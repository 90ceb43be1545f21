"""Scripts that learn games on a CPU: self_play (exact exploitability), new_games (games that were never seen)."""
