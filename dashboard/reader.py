"""Who looks at the page: the clock and the light of their browser."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pandas as pd
import streamlit as st

from dashboard.charts import Span

SLOT_SECONDS = 5
_INK = {"light": "#31333f", "dark": "#fafafa"}


def zone() -> tzinfo:
    """The browser's time zone, UTC when it does not say."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def span(length: timedelta, until: datetime | None = None) -> Span:
    """The last `length`, or that which ended `until`, in the reader's zone.

    What ends now ends with whole multiples of some seconds, so that readers share answers.
    """
    now = datetime.fromtimestamp(time.time() // SLOT_SECONDS * SLOT_SECONDS, zone())
    end = now if until is None else until.astimezone(zone())
    return Span(end - length, end)


def moment(at: float) -> pd.Timestamp:
    """Unix seconds as a time in the reader's zone."""
    return pd.Timestamp(at, unit="s", tz="UTC").tz_convert(zone())


def local(frame: pd.DataFrame) -> pd.DataFrame:
    """`frame` with its column `time` in the reader's zone."""
    return frame if frame.empty else frame.assign(time=frame["time"].dt.tz_convert(zone()))


def ink() -> str:
    """The colour of text in figures that Streamlit's theme does not reach."""
    return _INK.get(st.context.theme.type or "light", _INK["light"])
