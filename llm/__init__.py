"""Talking to language models: a thin layer over HTTP, without vendors' SDKs.

Here belong one module per wire protocol, the model list (`models.toml`), retries and rate limits, token and cost
accounting, a record of everything that is sent and received, and fake models for the tests. It knows nothing about
games: it imports none of our other packages.
"""
