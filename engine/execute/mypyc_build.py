"""What compiles the rules: `python mypyc_build.py NAME MODULES SOURCE...`, in a folder that has these sources.

mypyc translates the sources to C, below the folder `c`, and the C compiler makes modules of that, below the folder
MODULES; what they share is a module NAME__mypyc there. Nothing of ours is imported: `engine.execute.compiling` runs
this file in a process of its own.
"""

from __future__ import annotations

import sys

from setuptools import Distribution
from setuptools.command.build_ext import build_ext

# Products and sums are rounded one by one, as Python does it. Fusing them, which some processors can, would round
# otherwise, and some games would be others.
_FLAGS = ["-fno-fast-math", "-ffp-contract=off"]


def main(name: str, modules: str, sources: list[str]) -> None:
    """Compile. Exits with another status than 0, or raises what setuptools raises, if it fails."""
    from mypyc.build import mypycify  # after setuptools, so that it takes that one's compiler

    # There is a file of C for each module, so that progress can be seen; one for all is not faster.
    options = ["--config-file=", "--python-executable", sys.executable]
    extensions = mypycify(
        [*options, *sources], opt_level="2", debug_level="0", multi_file=True, target_dir="c", group_name=name
    )
    for extension in extensions:
        extension.extra_compile_args.extend(_FLAGS)
    command = build_ext(Distribution({"name": name, "ext_modules": extensions}))
    command.build_lib, command.build_temp = modules, "c"
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
