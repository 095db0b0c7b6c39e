"""Words for what others wrote: shown as it is, never as markup."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~<>$&:-])")


def plain(text: str) -> str:
    """`text` in Markdown that shows it as it is, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """`text` within backticks, as many as it takes that none of its own ends them."""
    line = " ".join(text.split())
    if "`" not in line:
        return f"`{line}`" if line else ""
    fence = "`" * (1 + max(len(run) for run in re.findall("`+", line)))
    return f"{fence} {line} {fence}"


def page(runbook: str) -> str:
    """A runbook within a page: without its title, which is there already, its headings bold."""
    return re.sub(r"^## (.+)$", r"**\1**", re.sub(r"\A# .*\n+", "", runbook), flags=re.MULTILINE)


def address(url: str) -> str:
    """Scheme, host, port and path of `url`: what else there is may be a secret."""
    parts = urlsplit(url)
    where = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{where}{parts.path}".rstrip("/")


def duration(seconds: float) -> str:
    """A time span for people, in its two largest units."""
    whole = max(0, round(seconds))
    for size, unit, small, part in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min")):
        if whole >= size:
            rest = whole % size // small
            return f"{whole // size} {unit}" + (f" {rest} {part}" if rest else "")
    return f"{whole // 60} min" if whole >= 60 else f"{whole} s"
