"""The document that every page of the dashboard begins as: Streamlit's own, which is told where its server is."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import streamlit
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

FIRST = ("ButtonGroup", "Selectbox", "PageLink", "Metric")
"""Streamlit's scripts for what stands at the top of a page."""

_HEAD = re.compile(r"<head>(.*?)(?=</head>)", re.DOTALL)
_IMPORTED = re.compile(r'(?:from|import)"\./([^"]+\.js)"')
_STATIC = Path(streamlit.__file__).parent / "static"
_HEADERS = {"Cache-Control": "no-cache"}  # the scripts that it names are another release's tomorrow

logger = logging.getLogger(__name__)


def document(base: str, static: Path = _STATIC) -> str:
    """Streamlit's document, from its folder `static`, for a dashboard under the path `base`, which begins and ends with a slash.

    Untold, Streamlit looks for its server under the page's own address first: a page that is opened by its link begins with two
    requests that fail, and waits for them. Then it fetches the script of each element when it comes to draw one, and what that
    imports once it has it: what the top of a page needs is fetched at once instead.
    """
    text = (static / "index.html").read_text(encoding="utf-8")
    head = _HEAD.search(text)
    if head is None:
        logger.warning("Streamlit %s has a document of another form: pages take longer to open", streamlit.__version__)
        return text
    where = f"new URL({json.dumps(base)}, window.location.href).href"
    told = f"<script>window.__streamlit = {{BACKEND_BASE_URL: {where}}}</script>"
    fetched = (name for name in _needed(static / "static" / "js") if name not in head[1])
    early = "".join(f'\n    <link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in fetched)
    return f"{text[: head.start(1)]}\n    {told}{head[1]}{early}{text[head.end() :]}"


def _needed(scripts: Path) -> Iterator[str]:
    """The scripts in the folder that FIRST are, and all that they import; what a release has under another name is left out."""
    ahead = [found.name for name in FIRST for found in scripts.glob(f"{name}.*.js")]
    seen: set[str] = set()
    while ahead:
        name = ahead.pop(0)
        if name not in seen:
            seen.add(name)
            yield name
            ahead += _IMPORTED.findall((scripts / name).read_text(encoding="utf-8"))


def routes(paths: list[str], base: str) -> list[Route]:
    """One for each page, `paths` as its URL has them, "" the first page's."""
    text = document(base)

    async def answer(_request: Request) -> Response:
        return HTMLResponse(text, headers=_HEADERS)

    return [Route(f"{base}{path}", answer, methods=["GET"]) for path in paths]
