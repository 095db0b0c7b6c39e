"""What a reader sees of text that a page was given as Markdown."""

from __future__ import annotations

import re

_FENCED = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1`*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LIVE = re.compile(r"(?<!\\)(?:\\\\)*!\[")
_UNSEEN = "\N{WORD JOINER}"


def read(markdown: str) -> str:
    """`markdown` with what is escaped in it as it is shown."""
    return _ESCAPED.sub(r"\1", markdown).replace(_UNSEEN, "")


def draws(markdown: str) -> bool:
    """Whether it has an image, which the browser would ask for."""
    return _LIVE.search(outside_code(markdown)) is not None


def outside_code(markdown: str) -> str:
    """`markdown` without what stands within backticks, where nothing is markup."""
    return _CODE.sub("", _FENCED.sub("", markdown))
