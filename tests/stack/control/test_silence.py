"""Which alerts a silence can hold back, as far as its matchers say."""

from __future__ import annotations

import pytest

from stack.control.silence import EVERY_ONE, Matcher, SilenceAsked, foreign, narrowed, ours


def named(value: str, *, is_regex: bool = False, is_equal: bool = True) -> Matcher:
    return Matcher(name="alertname", value=value, is_regex=is_regex, is_equal=is_equal)


MODEL = Matcher(name="model_name", value="m")


@pytest.mark.parametrize(
    ("matcher", "own"),
    [
        (named("KvdeckHotspot"), True),
        (named("DiskFull"), False),
        (named("KvdeckHotspot", is_equal=False), False),
        (named("Kvdeck.+", is_regex=True), True),
        (named("KvdeckA|KvdeckB", is_regex=True), True),
        (named("KvdeckA|DiskFull", is_regex=True), False),
        (named("KvdeckA|", is_regex=True), False),
        (named("(KvdeckA|DiskFull)", is_regex=True), False),
        (named("Kvdeck?.*", is_regex=True), False),
        (named("Kvdeck*|Kvdeck.+", is_regex=True), False),
        (named("[K]vdeck.+", is_regex=True), False),
        (named(".*", is_regex=True), False),
        (MODEL, False),
    ],
)
def test_a_silence_is_ours_where_it_can_hold_back_no_other(matcher: Matcher, own: bool) -> None:
    assert ours([MODEL, matcher]) is own
    assert narrowed([MODEL, matcher]) == ((MODEL, matcher) if own else (MODEL, matcher, EVERY_ONE))


def test_a_silence_that_names_another_alert_concerns_us_not() -> None:
    assert foreign([named("DiskFull"), MODEL])
    assert not any(foreign([matcher]) for matcher in (MODEL, named("KvdeckHotspot"), named(".*", is_regex=True)))


def test_a_matcher_is_written_as_alertmanager_reads_it() -> None:
    assert [
        Matcher(name="a", value='say "\\hi"\n').words,
        Matcher(name="a", value="b", is_equal=False).words,
        Matcher(name="a", value="b", is_regex=True).words,
        Matcher(name="a", value="b", is_regex=True, is_equal=False).words,
    ] == ['a="say \\"\\\\hi\\"\\n"', 'a!="b"', 'a=~"b"', 'a!~"b"']


@pytest.mark.parametrize(
    ("matcher", "comment", "flaw"),
    [
        (MODEL, "known", None),
        (MODEL, " ", "a silence needs a comment: say why nobody is to be told"),
        (Matcher(name="a b", value="c"), "known", "'a b' is no label's name"),
        (Matcher(name="", value="c"), "known", "'' is no label's name"),
        (Matcher(name="a", value="c" * 501), "known", "the value for a is longer than 500 characters"),
    ],
)
def test_what_is_wrong_with_a_silence_is_said(matcher: Matcher, comment: str, flaw: str | None) -> None:
    assert SilenceAsked(matchers=(matcher,), comment=comment, seconds=60.0).flaw == flaw
