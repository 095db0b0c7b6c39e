"""Who asks, and whether they may: RBAC rules as a Role has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.stack.kube.stand_in.answers import Document, forbidden


@dataclass(frozen=True, slots=True)
class User:
    """`rules` of a Role in `namespace` ("" is a ClusterRole's); None may do everything."""

    name: str
    rules: Sequence[Document] | None = None
    namespace: str = ""

    def check(self, verb: str, group: str, plural: str, name: str, namespace: str) -> None:
        """`plural` has its subresource behind a slash. Raises RefusedError."""
        if self.rules is None:
            return
        if self.namespace in ("", namespace):
            for rule in self.rules:
                named = not rule.get("resourceNames") or name in rule["resourceNames"]
                if group in rule["apiGroups"] and plural in rule["resources"] and verb in rule["verbs"] and named:
                    return
        raise forbidden(self.name, verb, group, plural, name, namespace)


ADMIN = User("admin")
NOBODY = User("dev", ())
