"""What the router reads of a configuration file."""

import msgspec
import pytest

from stack.adapters.plain_yaml import PlainYamlError
from stack.control.state import Desired, Dpd, ModelState
from stack.wiring.router_options import desired_from


def test_the_desired_part_is_read_and_the_rest_is_somebody_elses() -> None:
    document = (
        b"desired:\n  models:\n    m:\n      strategy: session\n      dpd: {routing_threshold: 7}\nlocal:\n  ports_from: 9000\n"
    )
    assert desired_from(document) == Desired(models={"m": ModelState(strategy="session", dpd=Dpd(routing_threshold=7))})


def test_a_file_without_it_desires_nothing() -> None:
    assert desired_from(b"local: {}\n") is None


def test_a_mistake_in_it_is_named() -> None:
    with pytest.raises(msgspec.ValidationError, match="strategi"):
        desired_from(b"desired:\n  models:\n    m:\n      strategi: session\n")


def test_what_is_small_on_disk_and_large_in_memory_is_not_taken() -> None:
    with pytest.raises(PlainYamlError, match="aliases"):
        desired_from(b"a: &a [x, x]\nb: [*a, *a]\ndesired: {models: {}}\n")
