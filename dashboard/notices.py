"""What a page says when a source is down or a number cannot be had: never a stack trace, never a zero."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from dashboard.promapi import PrometheusUnavailableError
from stack.api.client import ControlAnswerError, ControlUnreachableError, StaleError, UnauthorizedError

UNKNOWN = "unknown"


@contextmanager
def told() -> Iterator[None]:
    """Run a part of a page; a source that fails is named on the page and the rest goes on."""
    try:
        yield
    except PrometheusUnavailableError as error:
        st.error(
            f"{error}. Numbers from Prometheus are unknown until it answers; `kvdeck status` tells its state.",
            icon=":material/cloud_off:",
        )
    except ControlUnreachableError as error:
        st.error(
            f"{error}. The fleet serves on with its last configuration; nothing can be changed meanwhile.",
            icon=":material/cloud_off:",
        )
    except UnauthorizedError as error:
        st.error(f"Control refused the token: {error.message}.", icon=":material/lock:")
    except StaleError:
        st.warning("Somebody else changed the state since this page read it. Preview again to see your change on the new state.")
    except ControlAnswerError as error:
        where = f" (`{error.field}`)" if error.field else ""
        st.error(f"Refused{where}: {error.message}", icon=":material/block:")


def number(value: float | None, form: str = "{:.2f}") -> str:
    """`value` in `form`, or the word unknown."""
    return UNKNOWN if value is None else form.format(value)


def seconds(value: float | None) -> str:
    """A duration for people: milliseconds below one second."""
    if value is None:
        return UNKNOWN
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"


def percent(value: float | None) -> str:
    """A ratio from 0 to 1 as per cent."""
    return number(None if value is None else value * 100, "{:.0f} %")
