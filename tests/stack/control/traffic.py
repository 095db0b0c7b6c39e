"""Synthetic requests for figures and reports."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from stack.control.sample import Answer, Sample


def requests(
    count: int,
    *,
    begin: float = 1_000.0,
    every: float = 0.5,
    generation: int = 1,
    ttft: float = 0.2,
    prompt: int = 1_000,
    seed: int = 1,
) -> Iterator[Sample]:
    """`count` given streams, one `every` seconds; TTFT is lognormal about the median `ttft`."""
    draw = Random(seed)
    for number in range(count):
        yield Sample(
            at=begin + number * every,
            model="smollm2",
            generation=generation,
            answer=Answer.GIVEN,
            path="direct",
            prompt_tokens=int(prompt * draw.uniform(0.8, 1.2)),
            ttft=ttft * draw.lognormvariate(0, 0.3),
            gap=0.02,
            cached_tokens=int(prompt * 0.4),
            output_tokens=50,
        )
