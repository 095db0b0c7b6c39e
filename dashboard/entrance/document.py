"""The document that every page of the dashboard begins as: Streamlit's own, which is told where its server is."""

from __future__ import annotations

import json
from pathlib import Path

import streamlit
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

_HEAD = "<head>"
_INDEX = Path(streamlit.__file__).parent / "static" / "index.html"
_HEADERS = {"Cache-Control": "no-cache"}  # the scripts that it names are another release's tomorrow


class DocumentError(RuntimeError):
    """Streamlit's document is not as it was."""


def document(base: str) -> str:
    """Streamlit's document for a dashboard under the path `base`, which begins and ends with a slash. Raises DocumentError.

    Untold, Streamlit looks for its server under the page's own address first: a page that is opened by its link begins with two
    requests that fail, and waits for them.
    """
    before, head, after = _INDEX.read_text(encoding="utf-8").partition(_HEAD)
    if not head:
        raise DocumentError(f"{_INDEX} has no {_HEAD}: this release of Streamlit is not known")
    where = f"new URL({json.dumps(base)}, window.location.href).href"
    return f"{before}{head}\n    <script>window.__streamlit = {{BACKEND_BASE_URL: {where}}}</script>{after}"


def routes(paths: list[str], base: str) -> list[Route]:
    """One for each page, `paths` as its URL has them, "" the first page's. Raises DocumentError."""
    text = document(base)

    async def answer(_request: Request) -> Response:
        return HTMLResponse(text, headers=_HEADERS)

    return [Route(f"{base}{path}", answer, methods=["GET"]) for path in paths]
