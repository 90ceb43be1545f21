"""A hard cap in dollars. A call reserves the most that it can cost before it is sent, and pays its actual cost.

A call that fits the cap, but not together with the reservations of calls in flight, waits for those calls to end. So
the cap is used in full, and the run stops only when the next call could exceed it. A folder's lock leaves its calls to
one process, whose budget begins with what is on record.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from antemill.llm.errors import BudgetExceededError
from antemill.llm.prices import dollar_text

_DUST = 1e-12  # dollars, of rounding


class Reservation:
    """The dollars reserved for one call. Without `pay` all of it is returned to the budget."""

    def __init__(self, amount: float) -> None:
        self.amount = amount
        self.cost = 0.0
        self.answered = True  # False if `cost` may have been charged without an answer

    def pay(self, dollars: float, answered: bool = True) -> None:
        """Set the cost of the call, or without an answer the cost that it may have."""
        self.cost, self.answered = dollars, answered


class Budget:
    """The dollars that all clients of one event loop share.

    spent: by earlier sessions. possible: the part of `spent` for attempts without an answer that may have been charged.
    """

    def __init__(self, dollars: float, spent: float = 0.0, possible: float = 0.0) -> None:
        if not dollars >= 0 or not spent >= possible >= 0:
            raise ValueError("dollars and spent must not be negative, nor less than what is possible of it")
        self.dollars = dollars
        self.spent = spent
        self.possible = possible
        self.reserved = 0.0
        self._released: asyncio.Event | None = None

    @property
    def left(self) -> float:
        """Dollars neither spent nor reserved."""
        return self.dollars - self.spent - self.reserved

    @asynccontextmanager
    async def reserve(self, amount: float) -> AsyncIterator[Reservation]:
        """Reserve `amount` for a block. Raises BudgetExceededError if it exceeds the dollars that are not spent.

        The caller enters it before it takes a slot of a Limiter, and leaves it before it waits for another attempt.
        """
        while amount > self.left and amount > 0:
            if amount > self.dollars - self.spent or self.reserved <= 0:
                raise self._used_up(amount)
            self._released = self._released or asyncio.Event()
            await self._released.wait()
        reservation = Reservation(amount)
        self.reserved += amount
        try:
            yield reservation
        finally:
            self.spent += reservation.cost
            self.possible += 0.0 if reservation.answered else reservation.cost
            self._release(amount)

    def _used_up(self, amount: float) -> BudgetExceededError:
        """The error for a call that may not be sent: the parts of the budget, and the dollars that the call needs."""
        possible = (
            f" ({dollar_text(self.possible)} of it possibly, for attempts without an answer)"
            if self.possible > _DUST
            else ""
        )
        reserved = f", {dollar_text(self.reserved)} is reserved for calls in progress" if self.reserved else ""
        return BudgetExceededError(
            f"The budget of {dollar_text(self.dollars, 2)} cannot cover the next call, "
            f"which may cost up to {dollar_text(amount)}: {dollar_text(self.spent)} is spent{possible}{reserved}"
        )

    def _release(self, amount: float) -> None:
        self.reserved = max(0.0, self.reserved - amount)
        if self.reserved < _DUST:
            self.reserved = 0.0  # no other call would wait for it
        if self._released is not None:
            self._released.set()
            self._released = None
