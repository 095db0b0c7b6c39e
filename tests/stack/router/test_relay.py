"""Gaps between tokens are what the client sees."""

from stack.router.relay import token_gaps


def test_tokens_that_go_out_together_are_no_time_apart() -> None:
    assert token_gaps(fresh=1, first=True, since_last=9.0) == []
    assert token_gaps(fresh=3, first=True, since_last=9.0) == [0.0, 0.0]
    assert token_gaps(fresh=1, first=False, since_last=0.5) == [0.5]
    assert token_gaps(fresh=2, first=False, since_last=0.5) == [0.5, 0.0]
