"""What others wrote is shown as it is."""

from __future__ import annotations

import pytest

from dashboard.wording import address, code, page, plain
from tests.dashboard.reading import read


def test_text_of_others_is_no_markup() -> None:
    assert plain("*llama* [x](http://y)\n:red[a] `b` $c$ <d> a_b _c") == (
        r"\*llama\* \[x\](http://y) \:red\[a\] \`b\` \$c\$ \<d> a_b \_c"
    )


@pytest.mark.parametrize("text", ["# heading", "- item", "+ item", "> said", "=", "1. one", "10) ten", "~~~", "---"])
def test_nor_is_its_beginning(text: str) -> None:
    assert "\\" in plain(text)
    assert read(plain(text)) == text


@pytest.mark.parametrize(
    "text", [":material/delete: x", ":material_delete:", ":streamlit:", ":smile:", "a -> b", "a <-> b", "a >= b"]
)
def test_what_streamlit_draws_in_spite_of_a_backslash_is_kept_apart(text: str) -> None:
    assert "\N{WORD JOINER}" in plain(text)
    assert read(plain(text)) == text


def test_within_backticks_it_is_kept_too() -> None:
    assert code(":material/delete:") == "`:\N{WORD JOINER}material/delete:`"


@pytest.mark.parametrize(
    "text", ["decode-0", "Qwen/Qwen2.5-0.5B", "181 < 512", "http://127.0.0.1:9090/x?a=1&2", "events_dropped", "0.11.0", "10:20:30"]
)
def test_text_without_markup_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("name", "markdown"),
    [("decode-0", "`decode-0`"), ("a`![x](http://evil)`b", "`` a`![x](http://evil)`b ``"), ("`", "`` ` ``"), ("", "")],
)
def test_no_name_ends_the_backticks_that_it_stands_in(name: str, markdown: str) -> None:
    assert code(name) == markdown


def test_a_runbook_goes_without_its_title_and_its_headings_are_no_larger_than_the_pages() -> None:
    assert page("# KvdeckHotspot\n\n## Meaning\n\nText.\n\n## Impact\n") == "**Meaning**\n\nText.\n\n**Impact**\n"


def test_of_a_url_only_what_is_no_secret_is_shown() -> None:
    assert address("https://reader:secret@[::1]:9090/prom/?token=hidden#x") == "https://[::1]:9090/prom"
    assert address("http://127.0.0.1:9090") == "http://127.0.0.1:9090"
