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
        1007763: "41c83c1f2825e8d1bebe1e608e229903",
        1002470: "9c1833f0280c537c977a015e124a01df",
        1010565: "f27e15368d6c55396d0add1d8f0d305f",
        1001029: "b143f40a9f78ee813e5a919c62620499",
        1006995: "8ceb125cdb5fd3057add8404f4874552",
        1000705: "bf676d6ad5c7336dc79e92578470534a",
        1000980: "ec89ca5868239f8094d09f6be0117721",
        1000597: "bbe5617d1c77e7a6d25ac3831b1ce7e3",
        1003577: "bdb546d06471ce4ac4af56ec74c62af3",
        1009132: "0dde7c4abe3b2bceecc24f75bf3d47a5",
        1007906: "3f20150ef5cafd8d385d7de2b00d9912",
        1007658: "cd8f400955c95b096a3184aa9cdb10b7",
        1004354: "32522ee01546a2601ce547b47594f215",
        1009602: "5dad8f1e696f3695d3dcd28140a626c5",
        1002449: "9a7fcd95d259d1cf58c8fdf98598e055",
        1010404: "3134b8a20ef82043551d033bda07750b",
        1001998: "f599df44310c48fd3cb9ba230d4344c8",
        1006780: "08ced0fae93d73586351a4831fa2b670",
        1008746: "614ef829d6746f4d479adf30a8136cf2",
        1010724: "68ad35e090a6d3d510ddccf169283a21",
        1008894: "fbf2d9275d164b4279961faaaf64c111",
        1003943: "924a65f07e9ae55e38eb0045dd72f238",
        1005004: "b1426969d86c80f749f6770ec37391cd",
        1007791: "93297d8affa4eeb5e803ca7ed8d1d2bc",
        1003902: "5f9f676540df632f0304b38cb1872ec3",
        1000515: "797f82b387cc9ba1df5c5fb1a740c3d1",
        1006950: "6448545bb95d248c0f492c8579b40fa4",
        1004911: "840598fe683c263a53b3d261b09fe4ef",
        1004450: "935fac604dc56016e189db2981fec34b",
        1001695: "e71d8db8363e03e30c8fa8cdff56cebb",
        1001618: "6d7f6d22e30bbc740be610ab98234872",
        1002253: "e5a432e1111500b4e72a4ca25d7f6b15",
        1007747: "414a7059a211e9230e686ef5cceb6d13",
        1008019: "c259a8ba35ea228426a3af52c543e87a",
        1006315: "19756f7ef08248a51325c9a5fdb35587",
        1003123: "7009987bb5822bb8101d97e421043c4c",
        1004439: "e6ef359109ba03855d24665ae027cf01",
    }
)
HELD: Final = frozenset(DIGESTS.values())  # digests of games that learners do not train on
