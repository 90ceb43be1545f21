"""How wasmtime is set up: the same for compiling the guest and for running it."""

from typing import Any

FUEL = 20_000_000_000  # what a second of the time limit buys: more than a processor does in one
STACK = 3 << 19  # bytes of the host's stack for the guest's calls
SETTINGS = f"fuel epochs nan-canonical stack={STACK}"  # whatever changes machine code; part of the cache's key


def make_engine() -> Any:
    """The engine. Epochs are the clock on the wall, which decides; fuel stops what a starved clock does not;
    not-a-number has the same bits everywhere."""
    from wasmtime import Config, Engine

    config = Config()
    config.wasm_component_model = True
    config.consume_fuel = True
    config.epoch_interruption = True
    config.cranelift_nan_canonicalization = True
    config.max_wasm_stack = STACK
    return Engine(config)
