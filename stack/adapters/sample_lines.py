"""Sample lines of the Prometheus text format.

https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md#text-format-details. The parser that
prometheus_client brings takes six times as long; an exporter of hundreds of engines does little else than parse.
"""

from __future__ import annotations

import re

from stack.engines.samples import Sample

# No possessive groups: before Python 3.11.5 those that backtrack inside do not match (python/cpython#106052). What repeats here
# has one way to match, so that giving back costs a line no more than a second look.
_VALUE = r'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*)"'
_NAME, _BLANK = r"[a-zA-Z_]\w*+", r"[ \t]*+"
_LABEL = re.compile(rf"({_NAME}){_BLANK}={_BLANK}{_VALUE}", re.ASCII)
_ONE = rf"{_NAME}{_BLANK}={_BLANK}{_VALUE.replace('(', '(?:', 1)}{_BLANK}"
# Name, labels, value; a timestamp, and an exemplar as OpenMetrics has them, are skipped.
_LINE = re.compile(
    rf"([a-zA-Z_:][\w:]*+){_BLANK}(?:{{{_BLANK}((?:{_ONE}(?:,{_BLANK}{_ONE})*(?:,{_BLANK})?)?)}})?{_BLANK}"
    r"([-+.a-zA-Z0-9]++)(?:[ \t]++-?[\d.]++)?(?:[ \t]++#.*)?[ \t\r]*",
    re.ASCII,
)
_ESCAPED = re.compile(r'\\([\\n"])')


def sample(line: str) -> Sample:
    """The sample of one line. Raises ValueError."""
    matched = _LINE.fullmatch(line)
    if matched is None:
        raise ValueError("no sample line")
    labels = dict(_LABEL.findall(matched[2] or ""))
    if "\\" in line:
        labels = {name: _ESCAPED.sub(_unescaped, value) for name, value in labels.items()}
    return Sample(matched[1], labels, float(matched[3]))


def _unescaped(matched: re.Match[str]) -> str:
    return "\n" if matched[1] == "n" else matched[1]
