"""Rules at a quicker pace."""

from stack.drill.quick import Pace, Patience

RULES = {
    "groups": [
        {
            "name": "a",
            "rules": [
                {"record": "kvdeck:x:rate5m", "expr": "rate(x[1h])"},
                {
                    "alert": "KvdeckX",
                    "expr": "kvdeck:x:rate5m > 1 or y offset 2m",
                    "for": "15m",
                    "labels": {"x": "y"},
                },
                {"alert": "KvdeckX", "expr": "y > 1", "for": "10s"},
                {"alert": "KvdeckZ", "expr": "increase(z[5m]) >= 3"},
            ],
        }
    ]
}


def test_windows_offsets_and_waits_are_divided_and_thresholds_and_the_rest_stay() -> None:
    assert Pace(10).file(RULES) == {
        "groups": [
            {
                "name": "a",
                "rules": [
                    {"record": "kvdeck:x:rate5m", "expr": "rate(x[360s])"},
                    {
                        "alert": "KvdeckX",
                        "expr": "kvdeck:x:rate5m > 1 or y offset 30s",
                        "for": "90s",
                        "labels": {"x": "y"},
                    },
                    {"alert": "KvdeckX", "expr": "y > 1", "for": "10s"},
                    {"alert": "KvdeckZ", "expr": "increase(z[30s]) >= 3"},
                ],
            }
        ]
    }


def test_nothing_gets_shorter_than_half_a_minute_or_longer_than_it_was() -> None:
    assert [Pace(10).duration(told) for told in ("5s", "30s", "1m", "5m", "1h")] == ["5s", "30s", "30s", "30s", "360s"]


def test_an_alert_waits_as_long_as_the_slowest_of_its_rules() -> None:
    assert [Patience([RULES]).waits(alert) for alert in ("KvdeckX", "KvdeckZ")] == [900, 0]


def test_an_alert_remembers_as_long_as_its_windows_and_those_of_the_rules_it_names() -> None:
    assert [Patience([RULES]).remembers(alert) for alert in ("KvdeckX", "KvdeckZ", "Other")] == [3600, 300, 0]


def test_the_alerts_are_named() -> None:
    assert Patience([RULES]).names() == {"KvdeckX", "KvdeckZ"}
