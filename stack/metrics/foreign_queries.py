"""The questions about other products' routers, as far as the products agree."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, rate, ratio, selector, total
from stack.metrics.queries import WINDOW, Query

_ROUTER = (Label.PRODUCT, Label.REPLICA)
_BACKEND = (Label.PRODUCT, Label.BACKEND)


def requests(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Requests each router took in, by its own count."
    return Query(rate(catalog.FOREIGN_REQUESTS, _ROUTER, where, window), "requests/s", _ROUTER, text)


def failed(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Requests each router counts as failed."
    return Query(rate(catalog.FOREIGN_FAILED, _ROUTER, where, window), "requests/s", _ROUTER, text)


def sent(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Requests the routers sent to each engine."
    return Query(rate(catalog.FOREIGN_SENT, _BACKEND, where, window), "requests/s", _BACKEND, text)


def in_flight(where: Where = EVERYWHERE) -> Query:
    text = "Requests the routers have under way at each engine."
    return Query(total(selector(catalog.FOREIGN_IN_FLIGHT, where), _BACKEND), "requests", _BACKEND, text)


def unhealthy(where: Where = EVERYWHERE) -> Query:
    by = (*_ROUTER, Label.BACKEND)
    text = "Engines that a router does not hold for healthy."
    return Query(f"{aggregate('min', selector(catalog.FOREIGN_HEALTHY, where), by)} == 0", "", by, text)


def duration(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return Query(_mean(catalog.FOREIGN_DURATION, where, window), "seconds", _ROUTER, "Mean time of a whole request.")


def first_byte(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return Query(_mean(catalog.FOREIGN_FIRST_BYTE, where, window), "seconds", _ROUTER, "Mean time to an answer's first byte.")


def _mean(family: Family, where: Where, window: str) -> str:
    return ratio(rate(family, _ROUTER, where, window, "_sum"), rate(family, _ROUTER, where, window, "_count"))
