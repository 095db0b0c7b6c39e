"""What must run for a PromQL expression to have a value, of what emits the series it asks for."""

import re
from collections.abc import Callable

ORDER = ("native", "exporter", "router", "control")
"""From what every fleet has to what few have."""

_SKIPPED = re.compile(
    r'"(?:[^"\\]|\\.)*"|\{[^{}]*\}|\[[^\]]*\]|\boffset\s+\w+|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)|(?<![\w:])bool(?![\w:])'
)
_TOKEN = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*|[(),]")


class _Reader:
    """Recursive descent over names, brackets and set operators; everything else needs all it is made of."""

    def __init__(self, expression: str, emitter: Callable[[str], str]) -> None:
        self._tokens = _TOKEN.findall(_SKIPPED.sub(" ", expression))
        self._emitter = emitter

    def either(self) -> str:
        """`a or b`: what needs less."""
        needs = [self._both()]
        while self._take("or"):
            needs.append(self._both())
        return min(needs, key=ORDER.index)

    def _both(self) -> str:
        """`a and b`: both; `a unless b`: a."""
        needs = [self._operand()]
        while self._tokens[:1] in (["and"], ["unless"]):
            operator = self._tokens.pop(0)
            other = self._operand()
            needs += [other] if operator == "and" else []
        return max(needs, key=ORDER.index)

    def _operand(self) -> str:
        needs = [ORDER[0]]
        while self._tokens and self._tokens[0] not in ("or", "and", "unless", ")", ","):
            token = self._tokens.pop(0)
            if token == "(":
                needs.append(self.either())
                while self._take(","):
                    needs.append(self.either())
                self._tokens.pop(0)
            elif self._tokens[:1] != ["("] and token not in ("inf", "nan"):
                needs.append(self._emitter(token))
        return max(needs, key=ORDER.index)

    def _take(self, token: str) -> bool:
        found = self._tokens[:1] == [token]
        del self._tokens[:found]
        return found


def needed(expression: str, emitter: Callable[[str], str]) -> str:
    """The least of `ORDER` that `expression` can have a value with; `emitter` tells of a series what it comes from."""
    return _Reader(expression, emitter).either()
