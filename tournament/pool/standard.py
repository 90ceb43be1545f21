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
        1007763: "c26c5c7261b36deb6b8bfb5c42ecb1ec",
        1002470: "a291252c217aaed36aceb11c28571146",
        1010565: "ea0b29e6d61e9b7723b3962f1ac0a5c5",
        1001029: "d6aeaa0eef830fd54085b767a35eb6f6",
        1006995: "93404195dadcef064ba0fe094fd31581",
        1000705: "1b9be3a173aaceefbc789d4df8f8a5b2",
        1000980: "7278e94d25126d0901922d12aa855b4f",
        1000597: "230fedc44286342ab8649c93c2f0a618",
        1003577: "1c335a47fc3852ea70b4f612b66f264b",
        1009132: "3c974d6dd6822039be1091cc5ffa8167",
        1007906: "a0ff08c595aec37d51890f9919841017",
        1007658: "8dd9e9396c39ebf4dca16d61aeaebb83",
        1004354: "2eb1efaeb310801975165339e3bfcdad",
        1009602: "0d2039bf842e386e248c48d7a3c9a260",
        1002449: "dc7ec93183e6d0e10bdb4971d1898534",
        1010404: "ca1f254c6a2cc8a75b3bf024858ed05f",
        1001998: "7d8e413cdc956c06ab0aa8165efa6c36",
        1006780: "fd955176db90c7198203581038e020cc",
        1008746: "c31e184f59a8496051841b2619af56c0",
        1010724: "3d79ff3a09b9a1655ae89d3e11f6fcd9",
        1008894: "8dfac20794a7cf2fedfd6bd6de659a22",
        1003943: "007be623c9a0bea99b9435e47b6dc85c",
        1005004: "b2f8656b69b941be4639c72551796766",
        1007791: "d6c9a39090692f58d05598cb957fa990",
        1003902: "7901c5b4409aa3e0023615d38d39563c",
        1000515: "bdb4eedf707471a3bc90b81364ba8bf7",
        1006950: "55c9e01770de88ee16a02da74815f47b",
        1004911: "410ef2b63a9adb93e095fb0b6b86ca44",
        1004450: "66b68da663df3b41883ad89f4c295f7f",
        1001695: "25830fcc65d5a65c492cf77e706ca319",
        1001618: "133ea1228bfe72981981ea18d1a5cfed",
        1002253: "38a4afe94b3bc2d223083ac8293c9cda",
        1007747: "3e6266f4e51a0cffa0820b3656b6bb78",
        1008019: "7df1ad94a064a889cb4c9f5a963eb4ce",
        1006315: "9e1bbe104ffc5895b174bc3b047c7391",
        1003123: "0551ed52d7113617afddcfd650223932",
        1004439: "21a1fbe9e5875c223f12542f9b8a6013",
    }
)
HELD: Final = frozenset(DIGESTS.values())  # digests of games that learners do not train on
