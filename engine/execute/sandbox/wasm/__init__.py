"""The backend `wasm`: CPython compiled to WebAssembly, without any import from its host, run by wasmtime.

backend  the client's side: unpacks and checks the guest, starts the workers and asks them
server   the worker's side: a new instance of the guest for every stage
guest    the guest's files: their places and their digests
"""
