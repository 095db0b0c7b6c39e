"""Names of engines that fit into a picture."""

from __future__ import annotations


def shortened(name: str, most: int) -> str:
    """`name`, or of its `most` letters the beginning and the end, by which pods of one deployment are told apart."""
    if len(name) <= most:
        return name
    end = most * 2 // 3
    return f"{name[: most - end - 1]}…{name[-end:]}"
