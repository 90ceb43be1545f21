"""A Ray cluster of several nodes on this machine, for tests."""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).parents[3]
HAS_RAY = sys.platform != "darwin" or platform.machine() != "x86_64"  # as in pyproject.toml
PATIENCE = 600.0  # seconds, on a machine that has much else to do
T = TypeVar("T")


class Nodes:
    """A cluster whose head has no processors. Nodes with one processor each, unless told otherwise, come and go."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self.address: str = cluster.address

    def add(self, processors: int = 1, env: Mapping[str, str] | None = None) -> Any:
        """A new node; `env` is what its workers find in their environment."""
        return self._cluster.add_node(num_cpus=processors, env_vars=dict(env or {}))

    def kill(self, node: Any) -> None:
        """End a node and all that runs on it, without a word."""
        self._cluster.remove_node(node, allow_graceful=False)

    def clear(self) -> None:
        """End all nodes but the head, and wait until the head knows of it."""
        for node in [*self._cluster.worker_nodes]:
            self._cluster.remove_node(node)
        self._cluster.wait_for_nodes(PATIENCE)

    def environment(self) -> dict[str, str]:
        """Of a program that is to join this cluster."""
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        return {**os.environ, "PYTHONPATH": path, "RAY_ADDRESS": self.address}


@contextmanager
def cluster(**head: Any) -> Iterator[Nodes]:
    """A cluster without nodes that could work. head: arguments of Ray for its head."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    utilities: Any = importlib.import_module("ray.cluster_utils")
    made = utilities.Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False} | head)
    try:
        yield Nodes(made)
    finally:
        made.shutdown()


@contextmanager
def joined(nodes: Nodes) -> Iterator[Any]:
    """This process as a driver of the cluster; yields the ray module."""
    ray: Any = importlib.import_module("ray")
    ray.init(nodes.address, log_to_driver=False, configure_logging=False)
    try:
        yield ray
    finally:
        ray.shutdown()


def until(look: Callable[[], T], what: str) -> T:
    """What `look` gives as soon as it is true."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end, f"{what} did not come about"
        time.sleep(0.05)
    return found
