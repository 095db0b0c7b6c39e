"""Where a file says what is desired: the lines of it that would do what was asked of control."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import msgspec
import yaml

from stack.api.answers import ReadOnlyError
from stack.api.schema import ErrorDetail, StateView
from stack.control.patch import keyed
from stack.control.refusal import RefusedError


@contextmanager
def naming_lines(patch: Mapping[str, object], state: StateView) -> Iterator[None]:
    """A refusal inside, because control in `state` follows a file, also tells what `patch` is in that file."""
    try:
        yield
    except ReadOnlyError as error:
        if state.desired_file is None:
            raise
        said = f"{error.message}. In {state.desired_file} this change is:\n{_lines(patch, state)}"
        raise ReadOnlyError(error.status, ErrorDetail(code=error.code, message=said, field=error.field)) from error


def _lines(patch: Mapping[str, object], state: StateView) -> str:
    try:
        document = keyed(dict(patch), state.desired)
    except RefusedError:  # what control would say of it, were it to look; the words as they came are of use as well
        document = dict(patch)
    return yaml.safe_dump(msgspec.to_builtins({"desired": document}), sort_keys=False, allow_unicode=True).rstrip()
