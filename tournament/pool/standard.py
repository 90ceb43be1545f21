"""The standard suite: 37 solved games on which single players are compared, from seeds that nothing else has used.

They are the games with trees of at most a million nodes among the fifty of `antemill run --seeds 1000000:1012351`, in
the order of their selection. Players are tested on them, so learners do not train on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

STANDARD: Final = "standard"  # the name of the suite
BUILDER: Final = "77fd0d9a463538c8"  # the builder that drew them
DIGESTS: Final[Mapping[int, str]] = MappingProxyType(  # canonical digests by seed
    {
        1007763: "9fda6473060966c2a0595ccdf4eaf8a3",
        1002470: "f8fdc09111803b5e6bf47a1a69d74d19",
        1010565: "fbca77f60e79104bbac24db14169820d",
        1001029: "8381a7610d01165290529834b00f627c",
        1006995: "7c988d19f08a49445255228cfd1f9d34",
        1000705: "4ec9297995eab28314afd07379571547",
        1000980: "e6b558f2923eed3c6e99daa5d8587a35",
        1000597: "9c3be0c8afe582165d6dc60e2778c416",
        1003577: "d69406accb8d4de860f8fe1d37562c08",
        1009132: "60ebebadcfd37b2597e21a4a6cc056d9",
        1007906: "694f6bd357cf64a95bd8748ea579340f",
        1007658: "d67dbe2b63d352b289649c743f063d11",
        1004354: "64294420832f5e56b6dbd8a711068a4c",
        1009602: "268c8e79f6f52ccdc1cad840c1518795",
        1002449: "af4fb40017b172985f8aa145ea79dc2d",
        1010404: "ec6c48ddbb77ba6ae7969cc85e1f88d1",
        1001998: "5dd5c4f21186076dbf680bc9b7d92d51",
        1006780: "e221e71e33bb6beb365877f9fb8be33f",
        1008746: "2cd22814977fd1ccd4639486b75feed2",
        1010724: "dbec56d657a78cad6c0dfaf4551e3ef6",
        1008894: "dd5a8275416c13a7fcda4147ffeb8788",
        1003943: "a4bf3448cc312a1d0305b072bf96bb22",
        1005004: "2a0902c3932ab0d9e17129a1c2e6e8e2",
        1007791: "ac5df743e495359267a09be1ca0a5a92",
        1003902: "54c4e307d52b3e6da1f749a1dd93f7f4",
        1000515: "8c0ae9cb72c332c667ed99eb11022b02",
        1006950: "520c785fa45fbfd88014457d2b7b7bcf",
        1004911: "9dcd53d853a4947a10a0d100e5f737f0",
        1004450: "94dd468d6204b01158abcc3e255a6b7b",
        1001695: "395601e5d9763068f65b1500a275d27d",
        1001618: "1c6e33d660ed0a082d28099124674e11",
        1002253: "27f3eb6167bb21e37a9dc6053960d069",
        1007747: "aef42d65fced50182169bd9119dcb37e",
        1008019: "7f322f6b5f7ff5d84b5c8d98f96a4b37",
        1006315: "4edfef3d91456a2c231d031d7f07bf55",
        1003123: "babf08b0fc228b2d57c56916448a1fe4",
        1004439: "6a780e2aa094d19d47f334fd46eaaffa",
    }
)
HELD: Final = frozenset(DIGESTS.values())  # digests of games that learners do not train on
