"""`kvdeck iec export`: one model of desired state as an InferenceEndpointConfig."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import yaml

import stack.strategies  # noqa: F401  # importing it registers every strategy
from stack.api.client import ControlClient
from stack.api.desired_file import DesiredFileError, read_desired
from stack.control.refusal import RefusedError
from stack.control.state import Desired
from stack.control.valid import validated
from stack.kube.hyperpod.exported import NotExpressibleError, exported
from stack.kube.hyperpod.reading import ResourceError
from stack.strategies.base import names
from stack.wiring.ctl import asking
from stack.wiring.ctl.asking import Connection
from stack.wiring.iec.printing import Exit, fail, print_json, print_notes
from stack.wiring.iec.sources import SourceError, from_file


def of_control(connection: Connection, base: str | None, *, model: str | None, lenient: bool) -> int:
    """Print what is desired at control now."""
    told: list[Desired] = []

    def ask(client: ControlClient) -> asking.Exit:
        told.append(client.state().desired)
        return asking.Exit.APPLIED

    code = asking.run(connection, ask)
    return _emit(told[0], base, model, lenient=lenient, as_json=connection.json) if told else code


def of_file(file: Path, base: str | None, *, model: str | None, lenient: bool, as_json: bool) -> Exit:
    """Print the `desired:` of a configuration file."""
    try:
        valid = validated(read_desired(file), names())
    except DesiredFileError as error:
        return fail(str(error), Exit.UNREADABLE)
    except RefusedError as error:
        return fail(str(error), Exit.REFUSED)
    return _emit(valid, base, model, lenient=lenient, as_json=as_json)


def _emit(desired: Desired, base: str | None, model: str | None, *, lenient: bool, as_json: bool) -> Exit:
    if model is None and len(desired.models) != 1:
        return fail(f"one endpoint serves one model: name it with --model ({', '.join(desired.models)})", Exit.USAGE)
    name = model or next(iter(desired.models))
    if name not in desired.models:
        return fail(f"unknown model {name!r}; there are: {', '.join(desired.models)}", Exit.USAGE)
    try:
        given = None if base is None else from_file(base)
        found = exported(name, desired.models[name], names(), given, tiers=desired.tiers, lenient=lenient)
    except SourceError as error:
        return fail(str(error), Exit.UNREADABLE)
    except ResourceError as error:
        return fail(f"{base}: {error}", Exit.REFUSED)
    except NotExpressibleError as error:
        print_notes(error.notes)
        return fail("an InferenceEndpointConfig cannot say that; --lenient writes what it can", Exit.REFUSED)
    if as_json:
        print_json({"resource": found.document, "notes": msgspec.to_builtins(found.notes)})
        return Exit.DONE
    sys.stdout.write(yaml.safe_dump(found.document, sort_keys=False, allow_unicode=True))
    print_notes(found.notes)
    return Exit.DONE
