"""The figures of pools and engines as columns: how each is written, what it means, who tells it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard import amounts
from dashboard.fleet.told import Figures
from stack.metrics.engine_queries import UNITS, Quantity

WHERE = st.column_config.TextColumn("where", width=130, help="Cluster and namespace, where there are several.")
SAID = f"A figure that nobody tells is {amounts.UNKNOWN}: it is not 0."


@dataclass(frozen=True, slots=True)
class Column:
    """One figure; ratios are shown in per cent."""

    quantity: Quantity
    title: str
    help: str

    @property
    def form(self) -> str:
        """How a value is written, as Streamlit says it."""
        return {"ratio": amounts.PERCENT, "requests": "%.0f"}.get(UNITS[self.quantity], "%.1f")

    @property
    def width(self) -> int:
        """Pixels: the title stands whole."""
        return 84 if len(self.title) < 12 else 104

    def of(self, figures: Figures) -> float | None:
        """The value as shown, None where nobody tells it."""
        value = figures.get(self.quantity)
        return amounts.hundredths(value) if UNITS[self.quantity] == "ratio" else value


_RECENT = "From Prometheus, over the last minutes."
IN_FLIGHT = Column(Quantity.IN_FLIGHT, "in flight", "Requests that routers have sent there and not finished; their own count.")
RUNNING = Column(Quantity.RUNNING, "running", "Requests that run in the engine, as it says; an idle engine does not refresh them.")
WAITING = Column(Quantity.WAITING, "queue", "Requests that wait in the engine to be scheduled, as it says.")
USED = Column(Quantity.USED, "KV used", "Used share of the engine's own KV cache; of a pool the mean of its engines.")
FULLEST = Column(Quantity.FULLEST, "fullest", "Used share of the KV cache of the pool's fullest engine.")
HITS = Column(Quantity.ENGINE_HITS, "engine hits", f"Prompt tokens found in the engine's own cache, of those asked for. {_RECENT}")
L1 = Column(Quantity.L1_HITS, "L1 hits", f"Prompt tokens found in L1, of those it was asked for. {_RECENT}")
L2 = Column(Quantity.L2_HITS, "L2 hits", f"Prompt tokens found in L2, of those L1 did not have. {_RECENT}")
PROMPT = Column(Quantity.PROMPT, "prompt tok/s", f"Prompt tokens a second, from wherever their KV came. {_RECENT}")
GENERATED = Column(Quantity.GENERATED, "new tok/s", f"Tokens generated a second. {_RECENT}")
PREEMPTIONS = Column(Quantity.PREEMPTIONS, "preempted/s", f"Running requests a second whose KV the engine took away. {_RECENT}")

OF_POOLS = (IN_FLIGHT, RUNNING, WAITING, USED, FULLEST, HITS, L1, L2, PROMPT, GENERATED)
OF_ENGINES = (IN_FLIGHT, RUNNING, WAITING, USED, HITS, L1, L2, PROMPT, GENERATED, PREEMPTIONS)


def cells(columns: Iterable[Column], figures: Figures) -> dict[str, float | None]:
    """The values of one row."""
    return {column.title: column.of(figures) for column in columns}


def numbers(columns: Iterable[Column]) -> Mapping[str, Any]:
    """How Streamlit shows them."""
    return {
        column.title: st.column_config.NumberColumn(
            column.title, format=column.form, help=f"{column.help} {SAID}", width=column.width
        )
        for column in columns
    }
