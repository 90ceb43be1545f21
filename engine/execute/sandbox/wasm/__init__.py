"""The backend `wasm`: CPython compiled to WebAssembly, without a single import from its host, run by wasmtime.

backend  our side: unpacks and checks the guest, starts the workers and asks them
server   the worker's side: one fresh instance of the guest for every stage
guest    the guest's files: where they are, what they must be
"""
