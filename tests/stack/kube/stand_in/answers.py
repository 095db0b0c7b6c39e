"""What the stand-in answers: documents, and Status objects worded as the API server words them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """One whole answer."""

    status: int
    document: Document


class RefusedError(Exception):
    """The request ends with a Status object."""

    def __init__(self, code: int, reason: str, message: str, details: Document | None = None) -> None:
        super().__init__(message)
        document: Document = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
        self.answer = Answer(code, {**document, "reason": reason, **({"details": details} if details else {}), "code": code})


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong with an object. `reason` is a FieldValue... of the API."""

    field: str
    reason: str
    message: str

    @property
    def sentence(self) -> str:
        return f"{self.field}: {self.message}"


def invalid(group: str, kind: str, name: str, causes: list[Cause]) -> RefusedError:
    """422: the object breaks its schema."""
    said = causes[0].sentence if len(causes) == 1 else f"[{', '.join(cause.sentence for cause in causes)}]"
    qualified = f"{kind}.{group}" if group else kind
    told = [{"reason": cause.reason, "message": cause.message, "field": cause.field} for cause in causes]
    details = {"name": name, **({"group": group} if group else {}), "kind": kind, "causes": told}
    return RefusedError(422, "Invalid", f'{qualified} "{name}" is invalid: {said}', details)


def conflict(group: str, plural: str, name: str) -> RefusedError:
    """409: somebody else was quicker."""
    said = "the object has been modified; please apply your changes to the latest version and try again"
    message = f'Operation cannot be fulfilled on {_of(group, plural)} "{name}": {said}'
    return RefusedError(409, "Conflict", message, _details(group, plural, name))


def exists(group: str, plural: str, name: str) -> RefusedError:
    """409: the name is taken."""
    return RefusedError(409, "AlreadyExists", f'{_of(group, plural)} "{name}" already exists', _details(group, plural, name))


def missing(group: str, plural: str, name: str) -> RefusedError:
    """404: no such object."""
    return RefusedError(404, "NotFound", f'{_of(group, plural)} "{name}" not found', _details(group, plural, name))


def no_such_path() -> RefusedError:
    """404: the server serves nothing there."""
    return RefusedError(404, "NotFound", "the server could not find the requested resource", {})


def unauthorized() -> RefusedError:
    """401: nobody knows who asks."""
    return RefusedError(401, "Unauthorized", "Unauthorized")


def forbidden(user: str, verb: str, group: str, plural: str, name: str, namespace: str) -> RefusedError:
    """403: who asks may not."""
    object_ = f'{_of(group, plural)} "{name}"' if name else _of(group, plural)
    where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
    message = f'{object_} is forbidden: User "{user}" cannot {verb} resource "{plural}" in API group "{group}" {where}'
    return RefusedError(403, "Forbidden", message, _details(group, plural, name))


def expired(asked: int, oldest: int) -> Document:
    """The Status of a watch from a version that is no longer known; from the API's documentation, not recorded.

    https://kubernetes.io/docs/reference/using-api/api-concepts/#410-gone-responses
    """
    message = f"too old resource version: {asked} ({oldest})"
    return {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": "Expired", "code": 410,
    }  # fmt: skip


def _of(group: str, plural: str) -> str:
    return f"{plural}.{group}" if group else plural


def _details(group: str, plural: str, name: str) -> Document:
    return {**({"name": name} if name else {}), **({"group": group} if group else {}), "kind": plural}
