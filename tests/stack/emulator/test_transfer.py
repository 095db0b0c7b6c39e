import pytest

from stack.emulator.transfer import Claim, EngineKilledError, Fabric, Produce, Pull, Stuck, read

PARAMS = {
    "do_remote_prefill": True,
    "do_remote_decode": False,
    "remote_block_ids": [[1, 2]],
    "remote_engine_id": "e",
    "remote_request_id": "r",
    "remote_host": "127.0.0.1",
    "remote_port": 5600,
    "tp_size": 1,
}


class Holder:
    """Holds one request's blocks."""

    def __init__(self) -> None:
        self.given_up: list[str] = []

    def claim(self, request_id: str) -> Claim:
        return Claim.HELD if request_id == "r" else Claim.GONE

    def give_up(self, request_id: str) -> None:
        self.given_up.append(request_id)


def test_no_parameters_ask_for_nothing() -> None:
    assert [read(None), read({}), read({"do_remote_prefill": False})] == [None, None, None]


def test_a_prefill_request_is_to_be_kept() -> None:
    assert read({"do_remote_decode": True, "do_remote_prefill": False, "remote_block_ids": None}) == Produce()


def test_a_decode_request_says_where_to_pull_from() -> None:
    assert read(PARAMS) == Pull("e", "r", "127.0.0.1", 5600, [[1, 2]])


@pytest.mark.parametrize(
    "poison",
    [
        {"do_remote_prefill": True},
        PARAMS | {"remote_block_ids": []},
        PARAMS | {"remote_block_ids": "x"},
        PARAMS | {"remote_port": "5600"},
    ],
)
def test_malformed_parameters_kill_the_engine(poison: dict[str, object]) -> None:
    with pytest.raises(EngineKilledError):
        read(poison)


def test_incomplete_parameters_hang() -> None:
    assert read({key: value for key, value in PARAMS.items() if key != "remote_port"}) == Stuck()


def test_an_engine_is_reached_by_its_id_at_its_address_only() -> None:
    fabric, holder = Fabric(), Holder()
    fabric.join("e", ("127.0.0.1", 5600), holder)
    pull = Pull("e", "r", "127.0.0.1", 5600, [[1]])
    assert fabric.claim(pull) is Claim.HELD
    assert fabric.claim(Pull("e", "other", "127.0.0.1", 5600, [[1]])) is Claim.GONE
    assert fabric.claim(Pull("e", "r", "127.0.0.1", 5601, [[1]])) is Claim.UNREACHABLE
    assert fabric.claim(Pull("f", "r", "127.0.0.1", 5600, [[1]])) is Claim.UNREACHABLE
    fabric.leave("e")
    fabric.give_up(pull)
    assert (fabric.reachable(pull), holder.given_up) == (False, [])
