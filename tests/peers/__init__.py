"""Other people's libraries beside ours."""
