"""The stand-in itself: one request in, one answer out."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Mapping

from tests.stack.kube.stand_in.answers import (
    Answer,
    Document,
    RefusedError,
    conflict,
    exists,
    invalid,
    missing,
    unauthorized,
)
from tests.stack.kube.stand_in.ownership import owned
from tests.stack.kube.stand_in.requests import Asked, asked, selects
from tests.stack.kube.stand_in.resources import Resource, built_in, custom
from tests.stack.kube.stand_in.rights import ADMIN, NOBODY, User
from tests.stack.kube.stand_in.scale import scale_of, scaled
from tests.stack.kube.stand_in.shelf import Place, Shelf
from tests.stack.kube.stand_in.watching import Watch

_TIME = "2026-11-29T16:09:47Z"
_DEFINITIONS = "customresourcedefinitions"


class StandIn:
    """An API server. `users` are known by their bearer tokens; `asked` is what came, as METHOD path.

    One before 1.22 does not `tell_of_scale`: managedFields go on naming who set the replicas before.
    """

    def __init__(self, users: Mapping[str, User] | None = None, *, tell_of_scale: bool = True) -> None:
        self.tell_of_scale = tell_of_scale
        self.shelf = Shelf()
        self.users = dict(users or {"admin": ADMIN, "dev": NOBODY})
        self.resources = {(one.prefix, one.plural): one for one in built_in()}
        self.asked: list[str] = []

    def define(self, definition: Document) -> None:
        """Serve the custom resources of a CustomResourceDefinition."""
        self.resources |= {(one.prefix, one.plural): one for one in custom(definition)}

    def answer(self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes) -> Answer | Watch:
        """What a request is answered with; a watch has no end of its own."""
        self.asked.append(f"{method} {path}")
        try:
            user = self.users.get(headers.get("authorization", "").removeprefix("Bearer "))
            if user is None:
                raise unauthorized()
            request = asked(self.resources, method, path, query, headers, body)
            plural = "/".join(filter(None, [request.resource.plural, request.subresource]))
            user.check(request.verb, request.resource.group, plural, request.name, request.namespace)
            return self._done(request)
        except RefusedError as error:
            return error.answer

    def compact(self) -> None:
        """Forget what happened: a watch from before now is too late (410)."""
        self.shelf.oldest = self.shelf.version
        self.shelf.history.clear()

    def _done(self, request: Asked) -> Answer | Watch:
        match request.verb:
            case "list":
                return self._list(request)
            case "watch":
                since = int(request.query.get("resourceVersion") or self.shelf.version)
                seconds, bookmarks = float(request.query.get("timeoutSeconds", "1800")), "allowWatchBookmarks" in request.query
                return Watch(self.shelf, request.resource, request.namespace, selects(request.query), since, bookmarks, seconds)
            case "create":
                return self._create(request)
            case "delete":
                return self._delete(request)
        document = self._there(request)
        scale = request.subresource == "scale"
        if request.verb == "get":
            return Answer(200, scale_of(document) if scale else document)
        wanted = request.changed(scale_of(document) if scale else document)
        kept = self._keep(request, document, scaled(document, wanted) if scale else wanted)
        return Answer(200, scale_of(kept) if scale else kept)

    def _place(self, request: Asked, name: str = "") -> Place:
        return request.resource.group, request.resource.plural, request.namespace, name or request.name

    def _there(self, request: Asked) -> Document:
        document = self.shelf.objects.get(self._place(request))
        if document is None:
            raise missing(request.resource.group, request.resource.plural, request.name)
        return copy.deepcopy(document)

    def _list(self, request: Asked) -> Answer:
        chosen = list(filter(selects(request.query), self.shelf.found(request.resource, request.namespace)))
        begin, limit = int(request.query.get("continue") or 0), int(request.query.get("limit") or 0)
        page = chosen[begin : begin + limit] if limit else chosen
        more = {"continue": str(begin + limit)} if limit and begin + limit < len(chosen) else {}
        head = {"kind": f"{request.resource.kind}List", "apiVersion": request.resource.api_version}
        return Answer(200, {**head, "metadata": {"resourceVersion": str(self.shelf.version), **more}, "items": page})

    def _create(self, request: Asked) -> Answer:
        resource, document = request.resource, json.loads(request.body)
        if resource.plural == _DEFINITIONS:
            self.define(document)
        metadata = document["metadata"]
        if "name" not in metadata:
            metadata["name"] = metadata["generateName"] + uuid.uuid4().hex[:5]
        place = self._place(request, metadata["name"])
        if place in self.shelf.objects:
            raise exists(resource.group, resource.plural, metadata["name"])
        document = self._made(request, document)
        document["metadata"] |= {"uid": str(uuid.uuid4()), "creationTimestamp": _TIME}
        if resource.namespaced:
            document["metadata"]["namespace"] = request.namespace
        if resource.generations:
            document["metadata"]["generation"] = 1
        if resource.status:
            document.pop("status", None)
            if resource.group in ("", "apps"):
                document["status"] = copy.deepcopy(resource.born)
        document["metadata"]["managedFields"] = owned({}, document, request.manager, request.operation, resource.api_version, _TIME)
        return Answer(201, document if request.dry_run else self.shelf.put(place, document))

    def _made(self, request: Asked, document: Document) -> Document:
        """Filled in and judged. Raises RefusedError."""
        resource = request.resource
        prepared = resource.prepare({"kind": resource.kind, "apiVersion": resource.api_version, **document})
        if causes := list(resource.judge(prepared)):
            raise invalid(resource.group, resource.kind, prepared["metadata"]["name"], causes)
        return prepared

    def _keep(self, request: Asked, before: Document, wanted: Document) -> Document:
        resource = request.resource
        version = wanted["metadata"].get("resourceVersion")
        if version and version != before["metadata"]["resourceVersion"]:
            raise conflict(resource.group, resource.plural, request.name)
        after = self._made(request, _taken(request, before, wanted))
        metadata = dict(before["metadata"])
        if request.subresource == "":
            metadata |= {key: after["metadata"][key] for key in ("labels", "annotations") if key in after["metadata"]}
            metadata = {k: v for k, v in metadata.items() if k not in ("labels", "annotations") or k in after["metadata"]}
        after["metadata"] = metadata
        if resource.generations and after.get("spec") != before.get("spec"):
            metadata["generation"] = before["metadata"]["generation"] + 1
        if after == before:
            return before
        if request.subresource != "scale" or self.tell_of_scale:
            metadata["managedFields"] = owned(before, after, request.manager, request.operation, resource.api_version, _TIME)
        return after if request.dry_run else self.shelf.put(self._place(request), after)

    def _delete(self, request: Asked) -> Answer:
        document, place = self._there(request), self._place(request)
        if request.resource.plural != "pods":
            if not request.dry_run:
                self.shelf.drop(place)
            details = {"name": request.name, "group": request.resource.group, "kind": request.resource.plural}
            return Answer(200, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})
        runs = bool(document["spec"].get("nodeName"))
        grace = int(request.query.get("gracePeriodSeconds", 30 if runs else 0))
        document["metadata"] |= {"deletionTimestamp": _TIME, "deletionGracePeriodSeconds": grace}
        if request.dry_run:
            return Answer(200, document)
        self.shelf.put(place, document)
        if not grace:
            self.shelf.drop(place)
        return Answer(200, document)


def _taken(request: Asked, before: Document, wanted: Document) -> Document:
    """What of a wanted object its path takes: /status the status, the object's own path all but that."""
    resource: Resource = request.resource
    if request.subresource == "status":
        return {**before, "status": wanted.get("status", {})}
    if not resource.status:
        return wanted
    kept = {key: value for key, value in wanted.items() if key != "status"}
    return {**kept, "status": before["status"]} if "status" in before else kept
