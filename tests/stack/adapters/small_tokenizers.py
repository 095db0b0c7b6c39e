"""Small tokenizers of the kinds that models come with, trained on a page of text."""

from __future__ import annotations

import json
from collections.abc import Callable

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SPECIAL = ("<s>", "</s>", "<|im_start|>", "<|im_end|>")

_CORPUS = [
    "The quick brown fox jumps over the lazy dog, and the dog; the fox: it's quick. I'll see 12 345 of 1234567.",
    "def main(argument: int) -> None:\n    return  argument + 1\n\n\nclass Main:\n\tpass\n",
    "東京は日本の首都です。今日は天気がいい。\n今日 the 東京 Größe naïve café e\u0301",
    "  white   space \r\n and the\n\nlines\t\t.",
]

_GPT4 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_DEEPSEEK = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"""
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
)


def split(*patterns: str) -> pre_tokenizers.PreTokenizer:
    """Regular expressions, one after the other, then bytes."""
    parts = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in patterns]
    return pre_tokenizers.Sequence([*parts, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def bytes_bpe(
    pre_tokenizer: pre_tokenizers.PreTokenizer, normalizer: normalizers.Normalizer | None = None, *, ignore_merges: bool = False
) -> Tokenizer:
    """A BPE over bytes, as GPT-2's and its successors'."""
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    return _trained(
        tokenizer, trainers.BpeTrainer(vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    )


def marked_bpe(
    normalizer: normalizers.Normalizer | None = None, pre_tokenizer: pre_tokenizers.PreTokenizer | None = None
) -> Tokenizer:
    """A BPE over characters with `▁` for spaces and bytes for what it does not know, as SentencePiece's."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    # Trained with cuts at spaces, as SentencePiece is, then used with none.
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    bytes_256 = [f"<0x{byte:02X}>" for byte in range(256)]
    _trained(tokenizer, trainers.BpeTrainer(vocab_size=700, special_tokens=["<unk>", *bytes_256], show_progress=False), named=False)
    vocabulary = tokenizer.get_vocab()
    merges = [(left, right) for left, right in json.loads(tokenizer.to_str())["model"]["merges"]]
    fresh = Tokenizer(models.BPE(vocabulary, merges, byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    if normalizer is not None:
        fresh.normalizer = normalizer
    if pre_tokenizer is not None:
        fresh.pre_tokenizer = pre_tokenizer
    fresh.add_special_tokens(list(SPECIAL))
    return fresh


def unigram(normalizer: normalizers.Normalizer | None = None) -> Tokenizer:
    """A Unigram model with Metaspace, as T5's and XLM-R's."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    return _trained(
        tokenizer, trainers.UnigramTrainer(vocab_size=400, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    )


def word_piece() -> Tokenizer:
    """BERT's kind: lower case, words and their continuations."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _trained(tokenizer, trainers.WordPieceTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False))


KINDS: dict[str, Callable[[], Tokenizer]] = {
    "gpt2": lambda: bytes_bpe(pre_tokenizers.ByteLevel(add_prefix_space=False)),
    "gpt2_prefix_space": lambda: bytes_bpe(pre_tokenizers.ByteLevel(add_prefix_space=True)),
    "smollm2": lambda: bytes_bpe(
        pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    ),
    "llama3": lambda: bytes_bpe(split(_GPT4), ignore_merges=True),
    "qwen2": lambda: bytes_bpe(split(_GPT4.replace("{1,3}", "")), normalizers.NFC()),
    "gpt_oss": lambda: bytes_bpe(split(_O200K)),
    "deepseek": lambda: bytes_bpe(split(*_DEEPSEEK)),
    "unknown_regex": lambda: bytes_bpe(split(r"\w+\s|[^\w]+|\w+")),
    "gemma": lambda: marked_bpe(normalizers.Replace(" ", "▁"), pre_tokenizers.Split(" ", "merged_with_previous")),
    "llama2_metaspace": lambda: marked_bpe(pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="first", split=False)),
    "llama2_legacy": lambda: marked_bpe(normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])),
    "unigram": unigram,
    "unigram_nfkc": lambda: unigram(normalizers.NFKC()),
    "word_piece": word_piece,
}


def with_tokens(tokenizer: Tokenizer, *tokens: AddedToken) -> Tokenizer:
    """And these as added tokens."""
    tokenizer.add_tokens(list(tokens))
    return tokenizer


def _trained(tokenizer: Tokenizer, trainer: trainers.Trainer, *, named: bool = True) -> Tokenizer:
    tokenizer.train_from_iterator(_CORPUS, trainer)
    if named:
        tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer
