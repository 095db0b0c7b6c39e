"""Makes kvdeck's own environment: `python -m stack.local.install.bootstrap STAMP`, from the project's folder.

Run by the `kvdeck` script under the machine's Python, before any dependency is there: standard library only.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from stack.local.install.environment import Environment, Installation
from stack.local.install.holding import held
from stack.local.install.packages import requirements
from stack.local.install.plan import InstallError


class Line:
    """Progress on one line of a terminal; without a terminal only `say` is seen."""

    def __init__(self) -> None:
        self._total = self._completed = 0.0
        self._live = sys.stderr.isatty()

    def expect(self, total: float) -> None:
        self._total, self._completed = total, 0.0

    def advance(self, amount: float = 1.0) -> None:
        self._completed += amount

    def detail(self, text: str) -> None:
        if self._live:
            sys.stderr.write(f"\r\033[Kkvdeck: installing, {self._completed / self._total:4.0%}  {text}")
            sys.stderr.flush()

    def say(self, text: str) -> None:
        sys.stderr.write(("\r\033[K" if self._live else "") + f"kvdeck: {text}\n")


def ensure(home: Path, stamp: str, line: Line, base: Path = Path(sys.executable)) -> None:
    """The environment `.venv` of the project at `home`, made with `base`, complete and current. Raises InstallError."""
    environment = Environment(home / ".venv", home / ".kvdeck" / "logs" / "environment.log", base)
    lock = home / "requirements.lock"
    with held(home / ".kvdeck" / "environment.lock", lambda: line.say("another run is installing: waiting for it")):
        stamp = environment.kept(stamp)
        if environment.is_current(stamp):
            return
        line.say("making .venv ready (a minute or two the first time)")
        started = time.monotonic()
        environment.build(
            stamp,
            [
                Installation(("--requirement", str(lock)), len(requirements(lock))),
                Installation(("--no-deps", "--no-build-isolation", "--editable", str(home)), 1),
            ],
            line,
        )
        environment.seal(stamp)
        line.say(f".venv is ready after {time.monotonic() - started:.0f} s")


def main() -> int:
    """The exit status: 0 when the environment is ready."""
    line = Line()
    try:
        ensure(Path.cwd(), sys.argv[1], line)
    except InstallError as error:
        line.say(str(error))
        return 1
    except KeyboardInterrupt:
        line.say("interrupted; the next run starts afresh")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
