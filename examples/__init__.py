"""Scripts that learn games on a CPU: self_play (exact exploitability), new_games (games not seen in training)."""
