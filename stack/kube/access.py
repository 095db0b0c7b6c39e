"""Where the API server is, and who asks it."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class AccessError(RuntimeError):
    """There is no way to the API server; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Access:
    """`authorization` gives the header's value of one request, since tokens are rotated; `namespace` is the asker's own."""

    url: str
    namespace: str
    tls: ssl.SSLContext | bool
    authorization: Callable[[], str | None]


def in_cluster(environment: Mapping[str, str], folder: Path = SERVICE_ACCOUNT) -> Access:
    """As a pod's service account. Raises AccessError.

    https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api
    """
    try:
        host, port = environment["KUBERNETES_SERVICE_HOST"], environment["KUBERNETES_SERVICE_PORT"]
        namespace = (folder / "namespace").read_text().strip()
        tls = ssl.create_default_context(cafile=folder / "ca.crt")
    except (KeyError, OSError) as error:
        raise AccessError(f"not in a pod with a service account ({error})") from error
    bare = f"[{host}]" if ":" in host else host
    return Access(f"https://{bare}:{port}", namespace, tls, lambda: f"Bearer {(folder / 'token').read_text().strip()}")


def from_kubeconfig(path: Path) -> Access:
    """As the current context of a kubeconfig file. Raises AccessError."""
    try:
        from kubernetes import client, config
    except ImportError as error:
        raise AccessError("kubeconfig files need the package kubernetes: pip install 'kvdeck[kubernetes]'") from error
    settings = client.Configuration()
    try:
        config.load_kube_config(str(path), client_configuration=settings, persist_config=False)  # type: ignore[no-untyped-call]  # no types
        _, current = config.list_kube_config_contexts(str(path))  # type: ignore[no-untyped-call]  # no types
    except config.ConfigException as error:
        raise AccessError(f"{path}: {error}") from error
    namespace = current["context"].get("namespace") or "default"
    return Access(settings.host, namespace, _tls(settings), lambda: _authorization(settings))


# `settings` is Any: the package kubernetes has no types.


def _authorization(settings: Any) -> str | None:
    """The token, fetched anew by the context's own means where it has run out; None with a client certificate."""
    for one in settings.auth_settings().values():
        if one["key"] == "authorization":
            return str(one["value"])
    return None


def _tls(settings: Any) -> ssl.SSLContext | bool:
    if not settings.verify_ssl:
        return False
    tls = ssl.create_default_context(cafile=settings.ssl_ca_cert)
    if settings.cert_file:
        tls.load_cert_chain(settings.cert_file, settings.key_file)
    return tls
