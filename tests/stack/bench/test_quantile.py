"""A quantile of what was measured."""

import pytest

from stack.bench.quantile import quantile


def test_a_quantile_is_one_of_the_values() -> None:
    assert [quantile([3.0, 1.0, 2.0, 4.0], share) for share in (0.0, 0.5, 0.99, 1.0)] == [1.0, 3.0, 4.0, 4.0]
    assert [quantile([3, 1, 2], share) for share in (0.0, 0.5, 0.99)] == [1, 2, 3]
    with pytest.raises(ValueError, match="nothing"):
        quantile([], 0.5)
