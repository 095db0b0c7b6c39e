"""What the documents tell people to type, open and expect is there."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import stack.doctor.checks  # importing it registers every check
import stack.drill.drills  # likewise every drill
import stack.strategies  # noqa: F401  # importing it registers every strategy
from dashboard.pages import PAGES
from dashboard.report.__main__ import main as report
from exporters.__main__ import main as exporter
from stack.cli.main import main
from stack.config import Ports
from stack.control.allowed import allowed, described
from stack.doctor.check import checks
from stack.drill.drill import drills
from stack.strategies.base import ALIASES, names
from stack.strategies.parameters import declared

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
DOCUMENTS = sorted(
    [ROOT / "README.md", ROOT / "exporters" / "README.md", *(ROOT / "alerts").rglob("*.md"), *(ROOT / "stack").rglob("*.md")]
)
_SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
_INLINE = re.compile(r"`((?:\./)?kvdeck [^`]+)`")
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
_ANCHOR = re.compile(r"\]\((?!https?:)([^)#]*)#([^)]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


_HANDED_ON: dict[str, click.Command] = {"exporter": exporter, "report": report}  # they parse their arguments themselves


def _commands(document: str) -> Iterator[list[str]]:
    """The words after `kvdeck` of every command line in `document`."""
    lines = [line for block in _SHELL.findall(document) for line in block.splitlines()]
    for line in [*lines, *_INLINE.findall(document)]:
        words = line.partition("#")[0].replace("./kvdeck", "kvdeck").split()
        if words[:1] == ["kvdeck"]:
            yield words[1:]


def _command(words: list[str]) -> click.Command:
    """The command that `words` begin with, a group's sub-command where they go on with one."""
    if words[0] in _HANDED_ON:
        return _HANDED_ON[words[0]]
    context = click.Context(main)
    command: click.Command = main
    for number, word in enumerate(words):
        if not isinstance(command, click.Group) or word.startswith("-"):
            break
        inner = command.get_command(context, word)
        assert inner is not None, f"no command kvdeck {' '.join(words[: number + 1])}"
        command = inner
    return command


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_and_option_a_document_names_exists(document: Path) -> None:
    for words in _commands(document.read_text()):
        known = {option for parameter in _command(words).params for option in parameter.opts}
        assert [word for word in words if word.startswith("--") and word not in known] == [], words


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    assert [link for link in _LINK.findall(document.read_text()) if not (document.parent / link).exists()] == []


def _anchors(document: Path) -> set[str]:
    """What GitHub calls the headings of `document`."""
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in _HEADING.findall(document.read_text())}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_to_a_heading_leads_to_one(document: Path) -> None:
    links = _ANCHOR.findall(document.read_text())
    assert [link for link in links if link[1] not in _anchors(document.parent / link[0] if link[0] else document)] == []


def test_the_readme_shows_the_first_commands() -> None:
    assert {words[0] for words in _commands(README)} >= {"up", "test", "demo", "status", "ctl", "stop", "down", "exporter"}


def test_the_readme_tells_every_strategy_and_its_other_spelling() -> None:
    table = README.partition("| strategy |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == sorted(names())
    assert [spelling for spelling in ALIASES if f"`{spelling}`" not in README] == []


def test_the_readme_tells_the_ports() -> None:
    ports = Ports()
    told = {int(port) for port in re.findall(r"http://127\.0\.0\.1:(\d+)", README.partition("| what |")[2].partition("\n\n")[0])}
    assert told == {ports.router, ports.dashboard, ports.control, ports.exporter, ports.prometheus, ports.alertmanager}


def test_decisions_are_numbered_in_a_row_and_each_says_its_number() -> None:
    records = sorted((ROOT / "stack" / "adr").glob("*.md"))
    assert [int(record.name[:4]) for record in records] == list(range(1, len(records) + 1))
    assert [record.name for record in records if not record.read_text().startswith(f"# {int(record.name[:4])}. ")] == []


def test_the_readme_tells_every_check_of_the_doctor() -> None:
    rows = "\n".join(f"| `{check.id}` | {check.group.value} | {check.title} |" for check in checks())
    assert f"| check | of | holds when |\n|---|---|---|\n{rows}\n\n" in README


def test_the_readme_tells_every_parameter_of_a_strategy() -> None:
    rows = "\n".join(
        f"| `{strategy}` | `{each.name}` | {allowed(each.kind)} | {each.default} | {described(each.kind)} |"
        for strategy in names()
        for each in declared(strategy).values()
    )
    assert f"| strategy | parameter | may be | default | what |\n|---|---|---|---|---|\n{rows}\n\n" in README


def test_the_readme_tells_every_drill() -> None:
    rows = "\n".join(
        f"| `{drill.name}` | {drill.title} | {', '.join(drill.required)} | {'any' if drill.emulated else 'real'} |"
        for drill in drills()
    )
    assert f"| drill | breaks | must alert | engines |\n|---|---|---|---|\n{rows}\n\n" in README


def test_the_readme_names_every_page_of_the_dashboard_in_its_order() -> None:
    section = README.partition("\n## The dashboard\n")[2].partition("\n## ")[0]
    named = re.findall(r"^\| ([A-Z][^|!]*) \|", section, re.MULTILINE)
    assert named == [page.title for page in PAGES]
