"""Which places in a text a tokenizer's pre-tokenizer is bound to cut, told from its description.

Two rules are known, with the text on both sides (`A` ends and `B` begins at the place):

- SPACE: `A` ends in an ASCII letter, digit or one of `,.;:`, and `B` begins with a space.
- LINE: `A` ends in a line feed after something that is no white space, and `B` begins with a letter (ASCII or an ideograph).

A pre-tokenizer obeys a rule when the pieces of `A + B` are those of `A` and those of `B`, whatever else is in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

# Alternatives of the regular expressions that models come with, from GPT-2's to DeepSeek-V3's. Each was checked for both
# rules: no match goes from a character that is no white space on to a space, or from a line feed on to a letter, and none
# before the place looks past it (the look-ahead of `\s+(?!\S)` is reached over white space only). So an alternation of
# these, in any order, obeys both rules, and is bound to cut there when it has `\s+`, since then every space is matched.
_CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'(?:[sdmt]|ll|ve|re)", "(?i:'s|'t|'re|'ve|'m|'ll|'d)")
_CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
)
_ANY_SPACE = r"\s+"
_OBEYING = frozenset(
    {
        *_CONTRACTIONS,
        r" ?\p{L}+",
        r" ?\p{N}+",
        r" ?[^\s\p{L}\p{N}]+",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"[^\r\n\p{L}\p{N}]?+\p{L}+",
        r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
        r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+",
        *_CASED,
        *(f"{cased}{_CONTRACTIONS[-1]}?" for cased in _CASED),
        r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+""",
        "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
        r"\p{N}",
        r"\p{N}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*",
        r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r" ?[\p{P}\p{S}]+[\r\n]*",
        r"\s*[\r\n]",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        _ANY_SPACE,
    }
)


class Rule(StrEnum):
    """A kind of place."""

    SPACE = "space"
    LINE = "line"


class Verdict(StrEnum):
    """What a pre-tokenizer does at the places of a rule."""

    CUTS = "cuts"
    PASSES = "passes"  # it cuts as it would elsewhere: what lies farther off does not matter, but the place may be inside a piece
    UNKNOWN = "unknown"


def verdict(pre_tokenizer: Mapping[str, Any] | None, rule: Rule, space: str) -> Verdict:
    """For a pre-tokenizer as in tokenizer.json, after a normalizer that leaves a space as `space`."""
    if pre_tokenizer is None:
        return Verdict.PASSES
    kind = pre_tokenizer.get("type")
    if kind == "Metaspace":
        return _metaspace(pre_tokenizer, rule)
    if kind == "Sequence":
        return _all([_part(part, rule, space) for part in pre_tokenizer["pretokenizers"]])
    return _part(pre_tokenizer, rule, space)


def _all(verdicts: Sequence[Verdict]) -> Verdict:
    """One after the other, each on the pieces of the one before."""
    if Verdict.UNKNOWN in verdicts:
        return Verdict.UNKNOWN
    return Verdict.CUTS if Verdict.CUTS in verdicts else Verdict.PASSES


def _metaspace(pre_tokenizer: Mapping[str, Any], rule: Rule) -> Verdict:
    """A mark is prepended only to what does not begin with a space: before a space the prefix never matters, else it may."""
    if rule is Rule.LINE:
        return Verdict.UNKNOWN
    return Verdict.CUTS if pre_tokenizer.get("split", True) else Verdict.PASSES


def _part(pre_tokenizer: Mapping[str, Any], rule: Rule, space: str) -> Verdict:
    kind = pre_tokenizer.get("type")
    if kind == "Digits":
        return Verdict.PASSES
    if kind == "ByteLevel":
        if (pre_tokenizer["add_prefix_space"] and rule is Rule.LINE) or (pre_tokenizer["use_regex"] and space != " "):
            return Verdict.UNKNOWN
        return Verdict.CUTS if pre_tokenizer["use_regex"] else Verdict.PASSES
    if kind == "Split":
        return _split(pre_tokenizer, space)
    return Verdict.UNKNOWN


def _split(pre_tokenizer: Mapping[str, Any], space: str) -> Verdict:
    """Pieces are what matches, with or without what lies between."""
    pattern = pre_tokenizer["pattern"]
    if pattern == {"String": " "} and space != " ":  # no space is left to split at
        return Verdict.PASSES
    matches = (pre_tokenizer["behavior"], pre_tokenizer["invert"]) in (("Isolated", False), ("Removed", True))
    alternatives = set(_alternatives(pattern.get("Regex", "")))
    if not matches or space != " " or not alternatives <= _OBEYING:
        return Verdict.UNKNOWN
    return Verdict.CUTS if _ANY_SPACE in alternatives else Verdict.PASSES


def _alternatives(regex: str) -> list[str]:
    """Split at the bars outside all brackets; what cannot be read so is one alternative that nobody knows."""
    found, depth, in_class, escaped = [""], 0, False, False
    for character in regex:
        if character == "|" and depth == 0 and not in_class and not escaped:
            found.append("")
            continue
        found[-1] += character
        if escaped or character == "\\":
            escaped = not escaped
        elif in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
        elif character in "()":
            depth += 1 if character == "(" else -1
    return found
