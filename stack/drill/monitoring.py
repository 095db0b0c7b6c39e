"""The local stack's Prometheus, which is given rules at the drill's pace for as long as it lasts, and its Alertmanager."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

from stack.adapters.exposition import ExpositionError, fetch_json
from stack.drill.drill import DrillError
from stack.drill.quick import Pace, RuleFile
from stack.local.atomic_file import replace_file

ANSWER_SECONDS = 10.0
LOADED_SECONDS = 60.0
LOOK_SECONDS = 0.5
# On every alert of quick rules, so that whoever is told of one sees that it is a drill's, and a drill sees only its own: Prometheus
# does not end the alerts of rules that it drops, and Alertmanager keeps them for minutes.
MARK = {"drill": "kvdeck"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitoring:
    """`configuration` is the file that Prometheus was started with and reads anew on `reload`, `folder` is for quick rules."""

    http: httpx.AsyncClient
    prometheus: str
    alertmanager: str
    reload: Callable[[], None]
    configuration: Path
    rules: Path
    folder: Path
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]

    def shipped(self) -> dict[str, RuleFile]:
        """The rules by the name of their file. Raises DrillError."""
        try:
            return {path.name: yaml.safe_load(path.read_bytes()) for path in sorted(self.rules.glob("*.yaml"))}
        except (OSError, yaml.YAMLError) as error:
            raise DrillError(f"the rules cannot be read: {error}") from error

    @asynccontextmanager
    async def at(self, pace: Pace) -> AsyncIterator[Sequence[RuleFile]]:
        """The rules that Prometheus evaluates meanwhile; afterwards those it had before. Raises DrillError."""
        shipped = self.shipped()
        if not pace.quick:
            yield tuple(shipped.values())
            return
        quick = {name: pace.file(rules) for name, rules in shipped.items()}
        before = self.configuration.read_bytes()
        try:
            await self._load(self._quick(before, quick))
            yield tuple(quick.values())
        finally:
            await self._load(before)

    async def firing(self, pace: Pace) -> Mapping[str, str]:
        """The alerts that Alertmanager holds active, by rules at this pace: their summaries by name. Raises DrillError.

        Where Prometheus cannot read the target that one is about, its reason is told, too: nobody keeps that.
        """
        alerts = await self._get(f"{self.alertmanager}/api/v2/alerts")
        mark = MARK.items() if pace.quick else {}.items()
        own = [alert for alert in alerts if mark <= alert["labels"].items()]
        errors = {one["labels"]["instance"]: one["lastError"] for one in await self._targets()} if own else {}
        said: dict[str, set[str]] = {}
        for alert in own:
            labels = alert["labels"]
            error = errors.get(labels.get("instance"))
            summary = alert["annotations"].get("summary", "")
            said.setdefault(labels["alertname"], set()).add(f"{summary} ({error})" if error else summary)
        return {name: "; ".join(sorted(words)) for name, words in sorted(said.items())}

    async def up(self) -> Mapping[str, bool]:
        """Which engines Prometheus could scrape last, by replica. Raises DrillError."""
        found = await self._targets()
        return {one["labels"]["replica"]: one["health"] == "up" for one in found if one["labels"]["job"] == "engines"}

    async def _targets(self) -> Sequence[Any]:
        answer = await self._get(f"{self.prometheus}/api/v1/targets?state=active")
        found: Sequence[Any] = answer["data"]["activeTargets"]
        return found

    def _quick(self, configuration: bytes, rules: Mapping[str, RuleFile]) -> bytes:
        for name, file in rules.items():
            replace_file(self.folder / name, yaml.safe_dump(file, sort_keys=False, width=1000).encode())
        changed = yaml.safe_load(configuration)
        changed["rule_files"] = [str(self.folder / name) for name in rules]
        changed["global"] = {**changed["global"], "external_labels": MARK}
        return yaml.safe_dump(changed, sort_keys=False).encode()

    async def _load(self, configuration: bytes) -> None:
        """Has it read, and waits until it says that it has it: a configuration that it refuses changes nothing."""
        wanted = yaml.safe_load(configuration)["rule_files"]
        replace_file(self.configuration, configuration)
        self.reload()
        deadline = self.clock() + LOADED_SECONDS
        while (await self._loaded())["rule_files"] != wanted:
            if self.clock() > deadline:
                raise DrillError(f"Prometheus does not take {self.configuration}: see its log")
            await self.sleep(LOOK_SECONDS)

    async def _loaded(self) -> Any:
        answer = await self._get(f"{self.prometheus}/api/v1/status/config")
        return yaml.safe_load(answer["data"]["yaml"])

    async def _get(self, url: str) -> Any:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await fetch_json(self.http, url)
        except (httpx.HTTPError, ExpositionError, TimeoutError) as error:
            raise DrillError(f"{url} does not answer: {type(error).__name__}") from error
