"""The settings of wasmtime, the same for compiling the guest and for running it."""

from typing import Any

FUEL = 20_000_000_000  # per second of the time limit: more than a processor uses in a second
STACK = 3 << 19  # bytes of the host's stack for the guest's calls
SETTINGS = f"fuel epochs nan-canonical stack={STACK}"  # everything that changes machine code; part of the cache's key


def make_engine() -> Any:
    """The engine. Epochs enforce the limit of wall time. Fuel enforces it if the clock's thread gets no processor.

    Not-a-number has the same bits on every machine.
    """
    from wasmtime import Config, Engine

    config = Config()
    config.wasm_component_model = True
    config.consume_fuel = True
    config.epoch_interruption = True
    config.cranelift_nan_canonicalization = True
    config.max_wasm_stack = STACK
    return Engine(config)
