"""What comes before and after a text."""

from __future__ import annotations

from array import array

from tokenizers import Tokenizer, processors

from stack.adapters.special_tokens import Frame, frame
from tests.stack.adapters.small_tokenizers import KINDS


def framed(template: str) -> Tokenizer:
    tokenizer = KINDS["gpt2"]()
    named = [(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=named)
    return tokenizer


def test_a_frame_is_what_the_tokenizer_adds() -> None:
    first, last = (framed("$A").encode(token).ids[0] for token in ("<s>", "</s>"))
    assert {template: frame(framed(template)) for template in ("$A", "<s> $A", "$A </s>", "<s> $A </s>")} == {
        "$A": Frame(array("I"), array("I")),
        "<s> $A": Frame(array("I", [first]), array("I")),
        "$A </s>": Frame(array("I"), array("I", [last])),
        "<s> $A </s>": Frame(array("I", [first]), array("I", [last])),
    }


def test_a_text_that_is_repeated_has_no_frame() -> None:
    assert frame(framed("$A <s> $A")) is None
