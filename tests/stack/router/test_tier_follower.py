from stack.adapters.control_link import ControlUnavailableError
from stack.cache.relay import CacheUpdate
from stack.cache.tier_index import TierIndex
from stack.router.settings import RouterSettings
from stack.router.tier_follower import TierFollower

SETTINGS = RouterSettings(control_retry_s=0.0, cache_pause_s=0.0, cache_wait_s=2.0)


class Control:
    """Answers one after the other; None: it is away."""

    def __init__(self, *answers: CacheUpdate | None) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[int, int, float]] = []

    async def cache(self, epoch: int, since: int, wait_seconds: float) -> CacheUpdate:
        self.asked.append((epoch, since, wait_seconds))
        answer = self.answers.pop(0)
        if answer is None:
            raise ControlUnavailableError("away")
        return answer


async def test_it_asks_for_what_follows_and_waits_once_all_is_here() -> None:
    control = Control(
        CacheUpdate(epoch=3, version=5, more=True), None, CacheUpdate(epoch=3, version=8), CacheUpdate(epoch=3, version=8)
    )
    follower = TierFollower(control, TierIndex(lambda tokens, chunk_tokens: [], bool), SETTINGS, lambda: 1.0)
    for _ in range(4):
        await follower.follow()
    assert control.asked == [(0, 0, 0.0), (3, 5, 0.0), (3, 5, 0.0), (3, 8, 2.0)]
