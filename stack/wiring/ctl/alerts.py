"""`kvdeck ctl alerts` and `silence`: what fires, what to do about it, and who has it held back."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from msgspec.structs import replace

from stack.api import alert_tables
from stack.api.assignments import AssignmentError
from stack.api.client import ControlClient
from stack.control.silence import Matcher, matcher
from stack.wiring.ctl.asking import Connection, Exit, run, show


def every(connection: Connection, states: Sequence[str], model: str | None) -> Exit:
    """Print alerts; those in `states` alone where it names any, and of a model alone."""

    def ask(client: ControlClient) -> Exit:
        view = client.alerts()
        wanted = [alert for alert in view.alerts if not states or alert.state in states]
        kept = tuple(alert for alert in wanted if model is None or alert.labels.get("model_name") == model)
        return show(connection, replace(view, alerts=kept), alert_tables.alerts)

    return run(connection, ask)


def runbook(connection: Connection, name: str) -> Exit:
    """Print what to do about an alert."""

    def ask(client: ControlClient) -> Exit:
        sys.stdout.write(client.runbook(name))
        return Exit.APPLIED

    return run(connection, ask)


def silences(connection: Connection) -> Exit:
    """Print who has what held back."""
    return run(connection, lambda client: show(connection, client.silences(), alert_tables.silences))


def silence(connection: Connection, words: Sequence[str], seconds: float, comment: str, *, dry_run: bool) -> Exit:
    """Hold back what all of `words` fit."""

    def ask(client: ControlClient) -> Exit:
        made = client.silence(_matchers(words), seconds, comment, dry_run=dry_run)
        return show(connection, made, alert_tables.silence)

    return run(connection, ask)


def end(connection: Connection, silence_id: str, comment: str | None) -> Exit:
    """End a silence."""

    def ask(client: ControlClient) -> Exit:
        client.end_silence(silence_id, comment=comment)
        return Exit.APPLIED

    return run(connection, ask)


def _matchers(words: Sequence[str]) -> tuple[Matcher, ...]:
    """Raises AssignmentError. A word without a sign is an alert's name."""
    found = []
    for word in words:
        one = matcher(word if set("=~!") & set(word) else f"alertname={word}")
        if one is None:
            raise AssignmentError(f"{word!r} is no matcher: expected LABEL=VALUE, LABEL!=VALUE, LABEL=~REGEX or LABEL!~REGEX")
        found.append(one)
    return tuple(found)
