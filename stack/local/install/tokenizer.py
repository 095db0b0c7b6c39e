"""Makes the model's tokenizer from the header of its GGUF file, so that it is the same with real and with emulated engines.

Built here and not by the engines' own GGUF import, which knows only the general byte-level split: this family
splits digits one by one (`tokenizer.ggml.pre` is "smollm"), and the model was trained on the tokens of that split.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

from stack.local.install.model_header import HeaderError, read_header

_CONTROL = 3  # llama.cpp's token type for tokens that text never contains
_FAMILY = ("gpt2", "smollm")


class _Header(msgspec.Struct, frozen=True):
    """The part of a GGUF header that describes the tokenizer."""

    model: str = msgspec.field(name="tokenizer.ggml.model")
    split: str = msgspec.field(name="tokenizer.ggml.pre")
    tokens: list[str] = msgspec.field(name="tokenizer.ggml.tokens")
    kinds: list[int] = msgspec.field(name="tokenizer.ggml.token_type")
    merges: list[str] = msgspec.field(name="tokenizer.ggml.merges")
    first: int = msgspec.field(name="tokenizer.ggml.bos_token_id")
    last: int = msgspec.field(name="tokenizer.ggml.eos_token_id")
    unknown: int = msgspec.field(name="tokenizer.ggml.unknown_token_id")
    padding: int = msgspec.field(name="tokenizer.ggml.padding_token_id")
    chat_template: str = msgspec.field(name="tokenizer.chat_template")
    context_length: int = msgspec.field(name="llama.context_length")


def write_tokenizer(source: Path, folder: Path) -> None:
    """Writes tokenizer.json and tokenizer_config.json of the GGUF file `source` to `folder`. Raises HeaderError."""
    header = _header(source)
    _tokenizer(header).save(str(folder / "tokenizer.json"))
    config = msgspec.json.format(msgspec.json.encode(_config(header)), indent=2)
    (folder / "tokenizer_config.json").write_bytes(config + b"\n")


def _header(source: Path) -> _Header:
    try:
        header = msgspec.convert(read_header(source), _Header)
    except msgspec.ValidationError as error:
        raise HeaderError(f"{source.name}: {error}") from error
    if (header.model, header.split) != _FAMILY:
        raise HeaderError(f"{source.name}: tokenizer {header.model}/{header.split}; known: {'/'.join(_FAMILY)}")
    return header


def _tokenizer(header: _Header) -> Tokenizer:
    vocabulary = {token: number for number, token in enumerate(header.tokens)}
    merges = [_pair(merge) for merge in header.merges]
    tokenizer = Tokenizer(BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = [token for token, kind in zip(header.tokens, header.kinds, strict=True) if kind == _CONTROL]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
    return tokenizer


def _pair(merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    return left, right


def _config(header: _Header) -> dict[str, object]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",  # the file as it is; a family's own class would rebuild the split
        "model_max_length": header.context_length,
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "bos_token": header.tokens[header.first],
        "eos_token": header.tokens[header.last],
        "unk_token": header.tokens[header.unknown],
        "pad_token": header.tokens[header.padding],
        "chat_template": header.chat_template,
    }
