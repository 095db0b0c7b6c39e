"""What others wrote is shown as it is."""

from __future__ import annotations

import pytest

from dashboard.wording import address, code, duration, page, plain


def test_text_of_others_is_no_markup() -> None:
    assert plain("*llama* [x](http://y)\n:red[a] `b` $c$ <d> a_b") == (
        r"\*llama\* \[x\]\(http\://y\) \:red\[a\] \`b\` \$c\$ \<d\> a\_b"
    )


@pytest.mark.parametrize(
    ("name", "markdown"),
    [("decode-0", "`decode-0`"), ("a`![x](http://evil)`b", "`` a`![x](http://evil)`b ``"), ("`", "`` ` ``"), ("", "")],
)
def test_no_name_ends_the_backticks_that_it_stands_in(name: str, markdown: str) -> None:
    assert code(name) == markdown


def test_a_runbook_goes_without_its_title_and_its_headings_are_no_larger_than_the_pages() -> None:
    assert page("# KvdeckHotspot\n\n## Meaning\n\nText.\n\n## Impact\n") == "**Meaning**\n\nText.\n\n**Impact**\n"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-3, "0 s"), (59.4, "59 s"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"), (5_400, "1 h 30 min"), (90_000, "1 d 1 h")],
)
def test_a_duration_is_told_in_its_largest_units(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_of_a_url_only_what_is_no_secret_is_shown() -> None:
    assert address("https://reader:secret@[::1]:9090/prom/?token=hidden#x") == "https://[::1]:9090/prom"
    assert address("http://127.0.0.1:9090") == "http://127.0.0.1:9090"
