"""Words for what others wrote: shown as it is, never as markup."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

# What is markup wherever it stands, by what stands beside it, and at the beginning of a line alone.
_MARKS = re.compile(r"[\\`*\[\]$|~]|<(?=[a-z/!?])|&(?=[a-z#])|:(?![\s\d/]|$)|(?<![^\W_])_|_(?![^\W_])|\A[-+#>=]", re.IGNORECASE)
_NUMBERED = re.compile(r"\A(\d+)([.)])(?= |\Z)")
# Streamlit makes pictures and arrows of these even where they are escaped: something unseen between their letters keeps them.
_DRAWN = re.compile(r":(?=material[/_]|[a-z+-][\w+-]*:)|(?<!\S)[-<>~](?=-?[->=](?!\S))", re.IGNORECASE)
_UNSEEN = "\N{WORD JOINER}"
_ICON = ":material/"  # written otherwise by Streamlit even within backticks


def plain(text: str) -> str:
    """`text` in Markdown that shows it as it is, on one line. A web address in it can be followed to where it says."""
    line = _DRAWN.sub(rf"\g<0>{_UNSEEN}", " ".join(text.split()))
    return _NUMBERED.sub(r"\1\\\2", _MARKS.sub(r"\\\g<0>", line))


def code(text: str) -> str:
    """`text` within backticks, as many as it takes that none of its own ends them."""
    line = " ".join(text.split()).replace(_ICON, f":{_UNSEEN}{_ICON[1:]}")
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
