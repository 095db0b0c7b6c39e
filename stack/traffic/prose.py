"""Readable English that the project makes itself: the same text for the same number, different for every other."""

from __future__ import annotations

import random


def _words(text: str) -> list[str]:
    return text.split()


_PLACES = _words("harbour valley library market station orchard lighthouse workshop bridge archive garden mill")
_PEOPLE = _words("keeper engineer baker captain teacher farmer clerk printer painter surveyor gardener doctor")
_THINGS = _words("ledger map lamp clock engine letter bell boat recipe lens key chart")
_QUALITIES = _words("old quiet narrow bright careful broken early northern wooden patient distant plain")
_DEEDS = _words("repaired found measured carried painted counted opened described moved kept borrowed copied")
_TIMES = ["in the spring", "before noon", "that winter", "a year later", "at low tide", "after the rain"]
_OPENINGS = ["The record says that", "It is known that", "Visitors were told that", "On the next page", "Nobody doubts that"]
_QUESTIONS = [
    "Who is mentioned first in the text above?",
    "Summarise the text above in one sentence.",
    "Which place is described most often?",
    "What happened after the rain?",
    "Name three things that were repaired.",
    "Which sentence is the most surprising one?",
]
_SMALL_TALK = [
    "What is the capital of France?",
    "Explain in one sentence what a cache does.",
    "Give me a name for a small boat.",
    "Which month comes after June?",
    "Tell me something about lighthouses.",
    "How would you describe rain to a fish?",
    "And why is that?",
    "Say that again in fewer words.",
]

# What a tokenizer makes of this prose, about; measured with SmolLM2's.
TOKENS_PER_WORD = 1.055


def document(number: int, tokens: int) -> str:
    """Document `number`, of about `tokens` tokens, in paragraphs. Other lengths give the same text, cut or continued."""
    rng = random.Random(f"document {number}")
    words, sentences = 0, [f"Document {number}."]
    while words * TOKENS_PER_WORD < tokens:
        sentences.append(_sentence(rng))
        words += sentences[-1].count(" ") + 2  # the full stop is a token of its own
    paragraphs = [" ".join(sentences[at : at + 6]) for at in range(0, len(sentences), 6)]
    return "\n\n".join(paragraphs)


def question(rng: random.Random) -> str:
    """A question about a document."""
    return rng.choice(_QUESTIONS)


def small_talk(rng: random.Random) -> str:
    """Something a person says in a chat."""
    return rng.choice(_SMALL_TALK)


def system_prompt() -> str:
    """The instructions that all chats share; about 110 tokens."""
    rng = random.Random("system prompt")
    rules = " ".join(_sentence(rng) for _ in range(6))
    return f"You answer briefly and in plain words. Keep in mind what everybody here knows. {rules}"


def filler(name: str, words: int) -> str:
    """Short common words, about one token each, that depend on `name` alone."""
    rng = random.Random(name)
    common = [*_PLACES, *_PEOPLE, *_THINGS, *_QUALITIES, *_DEEDS]
    return " ".join(rng.choice(common) for _ in range(words))


def _sentence(rng: random.Random) -> str:
    pick = rng.choice
    body = f"the {pick(_QUALITIES)} {pick(_PEOPLE)} of the {pick(_PLACES)} {pick(_DEEDS)} a {pick(_QUALITIES)} {pick(_THINGS)}"
    match rng.randrange(3):
        case 0:
            return f"{body[0].upper()}{body[1:]} {pick(_TIMES)}."
        case 1:
            return f"{pick(_OPENINGS)} {body}."
        case _:
            return f"{body[0].upper()}{body[1:]}, and the {pick(_PEOPLE)} {pick(_DEEDS)} it {pick(_TIMES)}."
