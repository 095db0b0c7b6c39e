import msgspec

from stack.local.settings import load
from stack.wiring.wanted_state import Told, patch


def test_what_nobody_said_overrules_nothing() -> None:
    assert patch(load(None), Told()) == {}


def test_a_pool_size_said_is_a_pool_size_wanted() -> None:
    config = load(None).sized(None, 3)
    assert patch(config, Told(decode=True)) == {"models": {"smollm2": {"pools": {"decode": {"replicas": 3}}}}}


def test_a_desired_state_written_down_is_wanted_whole() -> None:
    config = load(None)
    whole = {"models": {"smollm2": msgspec.to_builtins(config.desired.models["smollm2"])}}
    assert patch(config, Told(desired=True, prefill=True)) == whole
