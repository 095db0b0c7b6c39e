"""A request to the API server, taken apart."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stack.control.merge import merge
from tests.stack.kube.stand_in import patching
from tests.stack.kube.stand_in.answers import Document, no_such_path
from tests.stack.kube.stand_in.resources import Resource

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be done (an RBAC verb), to what, by whom."""

    verb: str
    resource: Resource
    namespace: str
    name: str
    subresource: str
    query: Mapping[str, str]
    content_type: str
    manager: str
    body: bytes

    @property
    def dry_run(self) -> bool:
        return self.query.get("dryRun") == "All"

    @property
    def operation(self) -> str:
        return "Apply" if self.content_type == patching.APPLY else "Update"

    def changed(self, document: Document) -> Document:
        """What an update or a patch makes of `document`."""
        body = json.loads(self.body)
        if self.verb == "update":
            return {**body, "metadata": {**body["metadata"]}}
        known = copy.deepcopy(document)
        known["metadata"].pop("resourceVersion", None)
        change = patching.strategically_merged if self.content_type == patching.STRATEGIC else merge
        result = change(known, body)
        assert isinstance(result, dict)  # a patch of an object that is one leaves one
        return result


def asked(
    resources: Mapping[tuple[str, str], Resource],
    method: str,
    path: str,
    query: Mapping[str, str],
    headers: Mapping[str, str],
    body: bytes,
) -> Asked:
    """Raises RefusedError where the server serves nothing."""
    parts = path.strip("/").split("/")
    deep = 3 if parts[0] == "apis" else 2
    prefix, rest = "/" + "/".join(parts[:deep]), parts[deep:]
    namespace = ""
    if rest[:1] == ["namespaces"] and len(rest) > 2:
        namespace, rest = rest[1], rest[2:]
    plural, name, subresource = (*rest, "", "", "")[:3]
    resource = resources.get((prefix, plural))
    if resource is None or subresource not in ("", *_subresources(resource)):
        raise no_such_path()
    reading = "get" if name else "watch" if query.get("watch") else "list"
    manager = query.get("fieldManager") or headers.get("user-agent", "unknown").partition("/")[0]
    return Asked(
        _VERBS.get(method, reading), resource, namespace, name, subresource, query,
        headers.get("content-type", "").partition(";")[0], manager, body,
    )  # fmt: skip


def selects(query: Mapping[str, str]) -> Callable[[Document], bool]:
    """Whether an object is one that labelSelector (`a=b`, `a!=b`, `a`, `!a`) and fieldSelector (metadata.name=) ask for."""
    terms = [term.strip() for term in query.get("labelSelector", "").split(",") if term.strip()]
    name = query.get("fieldSelector", "").partition("metadata.name=")[2]

    def chosen(document: Document) -> bool:
        labels = document["metadata"].get("labels", {})
        return (not name or document["metadata"]["name"] == name) and all(_holds(term, labels) for term in terms)

    return chosen


def _holds(term: str, labels: Mapping[str, str]) -> bool:
    if "!=" in term:
        key, _, value = term.partition("!=")
        return labels.get(key) != value
    if "=" in term:
        key, _, value = term.replace("==", "=").partition("=")
        return labels.get(key) == value
    return term[1:] not in labels if term.startswith("!") else term in labels


def _subresources(resource: Resource) -> list[str]:
    return [name for name, there in (("status", resource.status), ("scale", resource.scale)) if there]
