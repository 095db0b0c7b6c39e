"""wrk, the load: a script that asks the chats, and what wrk measured, as it says itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from stack.bench.router.chats import Chat

_SEPARATOR = "\t"  # JSON never has one bare
# The head is written by hand, not by wrk.format: with equally long bodies it is one constant.
SCRIPT = """\
local heads, tails = {}, {}
for line in io.lines(os.getenv("KVDECK_CHATS")) do
  local cut = line:find("\\t", 1, true)
  heads[#heads + 1], tails[#tails + 1] = line:sub(1, cut - 1), line:sub(cut + 1)
end
local length = #heads[1] + 12 + #tails[1]
local count, number = #heads, tonumber(os.getenv("KVDECK_FIRST"))
local head

function init(args)
  head = "POST " .. wrk.path .. " HTTP/1.1\\r\\nHost: " .. wrk.host .. ":" .. wrk.port
    .. "\\r\\nContent-Type: application/json\\r\\nContent-Length: " .. length .. "\\r\\n\\r\\n"
  for each = 1, count do heads[each] = head .. heads[each] end
end

function request()
  number = number + 1
  local which = number % count + 1
  return heads[which] .. string.format("%012d", number) .. tails[which]
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.6f,"errors":%d,"p50_ms":%.4f,"p99_ms":%.4f}\\n',
    summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
"""


class Run(msgspec.Struct, frozen=True):
    """One run of wrk: answers, how long it took, errors of every kind, and the latencies of answers."""

    requests: int
    seconds: float
    errors: int
    p50_ms: float
    p99_ms: float

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


class LoadError(Exception):
    """wrk could not run, or said something else than what the script prints."""


@dataclass(frozen=True, slots=True)
class Load:
    """wrk at `program` over the files in `folder`. `library_path` where its Lua was unpacked; None: the system's."""

    program: Path
    folder: Path
    library_path: Path | None = None

    def prepare(self, chats: Iterable[Chat]) -> None:
        """Writes the script and the chats it asks."""
        (self.folder / "load.lua").write_text(SCRIPT)
        self._chats.write_text("".join(f"{chat.head}{_SEPARATOR}{chat.tail}\n" for chat in chats))

    def command(self, url: str, connections: int, seconds: float) -> tuple[str, ...]:
        """One thread: it shares its core with the back end."""
        script = str(self.folder / "load.lua")
        return (str(self.program), "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "--timeout", "10s", "-s", script, url)

    def environment(self, first: int) -> dict[str, str]:
        """What the script reads. Requests are numbered from `first`, so that no body is asked twice."""
        library = {} if self.library_path is None else {"LD_LIBRARY_PATH": str(self.library_path)}
        return {"KVDECK_CHATS": str(self._chats), "KVDECK_FIRST": str(first), **library}

    @property
    def _chats(self) -> Path:
        return self.folder / "chats.txt"


def parse(said: str) -> Run:
    """The run, from all that wrk printed: the script's line is the last one. Raises LoadError."""
    lines = said.strip().splitlines()
    try:
        return msgspec.json.decode(lines[-1], type=Run)
    except (IndexError, msgspec.DecodeError) as error:
        raise LoadError(f"wrk said nothing that can be read: {lines[-1] if lines else 'nothing at all'}") from error
