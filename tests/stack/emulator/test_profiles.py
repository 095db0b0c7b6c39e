import pytest

from stack.emulator.profiles import PROFILES, Profile


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_every_profile_says_where_its_numbers_come_from(profile: Profile) -> None:
    assert profile.basis.startswith(("measured: ", "estimate: "))


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_the_longest_prompt_fits_into_the_engine(profile: Profile) -> None:
    assert (profile.engine_blocks - 1) * profile.block_size >= profile.max_model_len


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_a_tier_is_faster_than_computing_and_slower_than_the_one_above(profile: Profile) -> None:
    computed, l1, l2 = profile.step_duration(1000, 0), profile.load_duration(1000, 0), profile.load_duration(0, 1000)
    assert l1 < l2 < computed
    assert profile.transfer_duration(1000) < computed


def test_the_laptop_profile_tells_the_measured_times() -> None:
    """2,000 tokens at float32: 3.3 s cold; 1,792 of them from L1 0.42 s and from L2 0.51 s."""
    laptop = PROFILES["laptop-smollm2"]
    assert laptop.step_duration(2000, 0) == pytest.approx(3.27, rel=0.1)
    rest = laptop.step_duration(208, 0)
    assert laptop.load_duration(1792, 0) + rest == pytest.approx(0.423, rel=0.1)
    assert laptop.load_duration(0, 1792) + rest == pytest.approx(0.506, rel=0.1)


def test_a_time_scale_scales_every_duration_and_not_the_lease() -> None:
    laptop = PROFILES["laptop-smollm2"]
    fast = laptop.scaled(0.1)
    assert fast.step_duration(100, 3) == pytest.approx(0.1 * laptop.step_duration(100, 3))
    assert fast.load_duration(100, 300) == pytest.approx(0.1 * laptop.load_duration(100, 300))
    assert fast.transfer_duration(100) == pytest.approx(0.1 * laptop.transfer_duration(100))
    assert fast.unreachable_seconds == pytest.approx(0.5)
    assert fast.lease_seconds == 30.0
