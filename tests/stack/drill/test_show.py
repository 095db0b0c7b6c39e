"""What a drill prints."""

import json

from rich.console import Console, RenderableType

from stack.drill.show import document, faults, report
from stack.drill.trial import Outcome

GOOD = Outcome(drill="a", title="A", required=("KvdeckX",), arrived={"KvdeckX": 12.4}, within_seconds=70, cleared_seconds=8.0)
BAD = Outcome(
    drill="b", title="B", required=("KvdeckX",), within_seconds=70, unexpected={"KvdeckY": "Y is so"}, lingering=("KvdeckY",)
)


def printed(shown: RenderableType) -> str:
    console = Console(width=140)
    with console.capture() as capture:
        console.print(shown)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def test_a_person_sees_seconds_and_under_them_what_is_wrong() -> None:
    assert printed(report([GOOD, BAD], ["c"], pace=10)) == (
        "      drill  required      also, tolerated  cleared\n"
        "pass  a      KvdeckX 12 s                   8 s\n"
        "fail  b      KvdeckX -                      -\n"
        "b: KvdeckX did not arrive within 70 s\n"
        "b: KvdeckY arrived, which nothing of this explains: Y is so\n"
        "b: KvdeckY did not clear\n"
        "c: left out, needs real engines\n"
        "\n"
        "Rules at 10 times their pace, no window shorter than 30 s. Times are from the break, and from its mending."
    )


def test_what_could_not_be_carried_out_is_not_told_as_an_alert_that_did_not_come() -> None:
    assert faults(Outcome(drill="a", title="A", required=("KvdeckX",), fault="no engine")) == [
        "could not be carried out: no engine"
    ]


def test_a_program_gets_everything() -> None:
    told = json.loads(document([GOOD], ["c"], pace=1))
    assert (told["pace"], told["skipped"]) == (1, ["c"])
    assert told["drills"] == [
        {
            "name": "a", "title": "A", "passed": True, "required": {"KvdeckX": 12.4}, "within_seconds": 70, "tolerated": [],
            "unexpected": {}, "cleared_seconds": 8.0, "lingering": [], "fault": None,
        }
    ]  # fmt: skip
