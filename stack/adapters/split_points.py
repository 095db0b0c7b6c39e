"""Where a text may be cut so that the tokens of its parts are the tokens of the whole, for one tokenizer.

Everything here is proved from the tokenizer's description, and what cannot be is left out: a tokenizer that nothing is
known of has no such places. There are two kinds:

- An added token (`<|im_end|>`) that no other can overlap is taken out of the text before anything else happens, so what
  stands before it and what begins with it never meet.
- Inside text, the places of `stack.adapters.pretokens`, where either the pre-tokenizer is bound to cut, or (BPE without
  a pre-tokenizer, as SentencePiece's) no token of the vocabulary reaches over the place, so that no merge can.
"""

from __future__ import annotations

import json
import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, pairwise
from typing import Any

from tokenizers import AddedToken, Tokenizer, models

from stack.adapters.pretokens import Rule, Verdict, verdict

log = logging.getLogger(__name__)

_BEFORE_SPACE = "A-Za-z0-9,.;:"
_LETTER = r"A-Za-z\u4e00-\u9fff"
_NO_SPACE = r"!-~\u3001-\u303f\uff01-\uff60\u4e00-\u9fff"  # with the ideographs' punctuation
# They change no ASCII character and no ideograph, and never join one to what stands before it.
_COMPOSING = frozenset({"NFC", "NFD", "NFKC", "NFKD"})
_SAMPLES = (
    "The quick brown fox, 12 345.67 times; I'll say: it's 9 o'clock.",
    "  two  spaces\tand\n\n  lines \r\n of\u00a0odd \u3000 white   ",
    'def f(x: int) -> str:\n    return f"{x}"  # ok\n\n\nclass A: pass\n',
    "東京は。\n今日は good。 Größe e\u0301 नमस्ते مرحبا 👩‍👩‍👧 🙂a b",
    "a.b,c;d:e f. g, h; i: j 1 2 3a 4 b5 ...  ,, ;; :: a\nb\nC.\nd",
)
_BYTE_LEVEL_SPACE = "Ġ"  # what ByteLevel makes of a space; printable ASCII it leaves as it is


@dataclass(frozen=True, slots=True)
class SplitPoints:
    """`pattern` finds them: a place is the end of a match, or the beginning of one of its group `token`."""

    pattern: re.Pattern[str]

    def parts(self, text: str, least: int) -> list[str]:
        """The text in parts of at least `least` characters, each as short as can be, the last one excepted.

        Where a part ends depends on nothing behind it: a text that grows keeps its parts, but for the last.
        """
        search, parts, start = self.pattern.search, [], 0
        while (match := search(text, start + least)) is not None:
            end = match.end() if match.lastgroup is None else match.start()
            parts.append(text[start:end])
            start = end
        parts.append(text[start:])
        return parts


def split_points(tokenizer: Tokenizer) -> SplitPoints | None:
    """All that are certain; None when none are."""
    if getattr(tokenizer.model, "dropout", None):
        return None
    added = list(tokenizer.get_added_tokens_decoder().values())
    choices = [_place(rule, added) for rule in Rule if _obeys(tokenizer, rule, added)]
    if not tokenizer.encode_special_tokens and (tokens := _apart(added)):
        # Few characters of a text can begin one: the look-ahead spares the others the list.
        first = "".join(sorted({token[0] for token in tokens}))
        choices.append(f"(?P<token>(?=[{re.escape(first)}])(?:{'|'.join(map(re.escape, tokens))}))")
    points = SplitPoints(re.compile("|".join(choices))) if choices else None
    return points if points is not None and _holds(tokenizer, points, [token.content for token in added]) else None


def _holds(tokenizer: Tokenizer, points: SplitPoints, added: Sequence[str]) -> bool:
    """Proofs are made by people: every rule is tried on a text of all that is awkward before it is relied on."""
    text = "".join(f"{sample}{token} {sample} {token}\n{token}" for sample, token in zip(_SAMPLES, cycle([*added[:20], ""])))
    whole, *parts = (tokenizer.encode(piece, add_special_tokens=False).ids for piece in (text, *points.parts(text, 1)))
    if list(chain.from_iterable(parts)) == whole:
        return True
    log.error("tokenizer does not keep to its description: prompts are tokenized whole")
    return False


def _place(rule: Rule, added: Sequence[AddedToken]) -> str:
    if rule is Rule.LINE:
        return f"[{_NO_SPACE}]\\n(?=[{_LETTER}])"
    # A token that takes white space on its right takes the space from a place behind it.
    greedy = {token.content[-1] for token in added if token.rstrip}
    return f"(?![{re.escape(''.join(greedy))}])[{_BEFORE_SPACE}](?= )" if greedy else f"[{_BEFORE_SPACE}](?= )"


def _obeys(tokenizer: Tokenizer, rule: Rule, added: Sequence[AddedToken]) -> bool:
    space = _space(_state(tokenizer.normalizer))
    if space is None or any(_reaches_over(token, text, rule) for token in added for text in _spellings(tokenizer, token, space)):
        return False
    found = verdict(_state(tokenizer.pre_tokenizer), rule, space)
    return found is Verdict.CUTS or (found is Verdict.PASSES and rule is Rule.SPACE and _no_merge_over(tokenizer, space))


def _spellings(tokenizer: Tokenizer, token: AddedToken, space: str) -> set[str]:
    """An added token as it is looked for: in the text as it came, or in the normalized one."""
    normalized = tokenizer.normalizer.normalize_str(token.content) if tokenizer.normalizer is not None else token.content
    return {token.content, normalized.replace(space, " ")}


def _reaches_over(token: AddedToken, content: str, rule: Rule) -> bool:
    """An added token may stand on both sides of a place."""
    if rule is Rule.SPACE:
        return re.search(f"[{_BEFORE_SPACE}] ", content) is not None
    takes_left = token.lstrip and re.match(f"[{_LETTER}]", content) is not None
    return takes_left or re.search(f"\\n[{_LETTER}]", content) is not None


def _space(normalizer: Mapping[str, Any] | None) -> str | None:
    """What a normalizer makes of a space; None for one that may do anything else as well."""
    if normalizer is None or normalizer["type"] in _COMPOSING:
        return " "
    if normalizer["type"] == "Replace" and normalizer["pattern"] == {"String": " "} and len(normalizer["content"]) == 1:
        return str(normalizer["content"])
    if normalizer["type"] == "Sequence":
        made = [_space(part) for part in normalizer["normalizers"]]
        return None if None in made else next((one for one in made if one != " "), " ")
    return None


def _no_merge_over(tokenizer: Tokenizer, space: str) -> bool:
    """No token of a BPE has a space, as the vocabulary writes it, behind a character that a place may follow."""
    model = tokenizer.model
    if not isinstance(model, models.BPE) or model.ignore_merges or model.continuing_subword_prefix or model.end_of_word_suffix:
        return False
    kinds = str(_state(tokenizer.pre_tokenizer))
    if "Metaspace" in kinds:
        mark = str((_state(tokenizer.pre_tokenizer) or {}).get("replacement"))
    else:
        mark = _BYTE_LEVEL_SPACE if "ByteLevel" in kinds else space
    vocabulary = tokenizer.get_vocab(with_added_tokens=False)
    over = re.compile(f"[{_BEFORE_SPACE}]{re.escape(mark)}")
    return mark in vocabulary and not any(over.search(entry) for entry in vocabulary)


def _apart(added: Sequence[AddedToken]) -> list[str]:
    """Tokens looked for in the text as it came, whose every occurrence is one: no other can overlap them there."""
    reached = _reached([token.content for token in added])
    words = any(token.single_word for token in added)
    return [
        token.content
        for token in added
        if token.content not in reached
        and not (token.normalized or token.single_word or token.lstrip or token.content[:1].isspace())
        and not (words and (token.content[:1].isalnum() or token.content[:1] == "_"))
    ]


def _reached(contents: Iterable[str]) -> set[str]:
    """Those that another may begin before and reach into, or begin with and reach farther; and what is empty."""
    ordered = sorted(set(contents))
    reached = {one for one, following in pairwise(ordered) if following.startswith(one)} | {""}
    tails = defaultdict(set)
    for content in ordered:
        for at in range(1, len(content)):
            tails[content[at]].add(content[at:])
    for content in ordered:
        if any(content.startswith(tail) or tail.startswith(content) for tail in tails.get(content[:1], ())):
            reached.add(content)
    return reached


def _state(component: Any) -> dict[str, Any] | None:
    """A component as tokenizer.json has it, in the library's present spelling."""
    if component is None:
        return None
    state: dict[str, Any] = json.loads(component.__getstate__())
    return state
