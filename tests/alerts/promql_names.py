"""The metric names in a PromQL expression: what is left when strings, labels, functions and operators are gone."""

import re

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MATCHERS = re.compile(r"\{[^{}]*\}")
_RANGE = re.compile(r"\[[^\]]*\]")
_LABELS = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)")
_DURATION = re.compile(r"\boffset\s+\S+")
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*(?!\w*\s*\()")
_WORDS = {"and", "or", "unless", "bool", "offset", "inf", "nan", "sum", "max", "min", "avg", "count", "group"}


def names(expression: str) -> set[str]:
    """Every metric name `expression` mentions."""
    rest = expression
    for pattern in (_STRING, _MATCHERS, _RANGE, _DURATION, _LABELS):
        rest = pattern.sub(" ", rest)
    rest = re.sub(r"\b[a-z_0-9]+\s*\(", "(", rest)  # functions
    return {name for name in _NAME.findall(rest) if name.lower() not in _WORDS}
