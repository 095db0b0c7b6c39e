"""The Prometheus operator's kinds as far as the chart uses them, strictly: what is not listed here is refused, as its CRDs would
refuse or drop what they do not know. Written by its API documentation (monitoring.coreos.com/v1).
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

_TEXT = {"type": "string"}
_TEXTS = {"type": "object", "additionalProperties": _TEXT}
_DURATION = {
    "type": "string",
    "pattern": r"^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$",
}
_ACTIONS = [
    "replace", "keep", "drop", "hashmod", "labelmap", "labeldrop", "labelkeep", "lowercase", "uppercase", "keepequal", "dropequal",
]  # fmt: skip


def _object(properties: Json, *required: str) -> Json:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": list(required)}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


_LABEL_SELECTOR = _object({"matchLabels": _TEXTS, "matchExpressions": _list({"type": "object"})})
_NAMESPACES = _object({"any": {"type": "boolean"}, "matchNames": _list(_TEXT)})
_KEY = _object({"name": _TEXT, "key": _TEXT, "optional": {"type": "boolean"}}, "key")
_SECRET_OR_MAP = _object({"secret": _KEY, "configMap": _KEY})
_TLS = _object(
    {
        "ca": _SECRET_OR_MAP,
        "cert": _SECRET_OR_MAP,
        "keySecret": _KEY,
        "serverName": _TEXT,
        "insecureSkipVerify": {"type": "boolean"},
        "caFile": _TEXT,
        "certFile": _TEXT,
        "keyFile": _TEXT,
    }
)
_RELABELING = _object(
    {
        "sourceLabels": _list(_TEXT),
        "separator": _TEXT,
        "targetLabel": _TEXT,
        "regex": _TEXT,
        "modulus": {"type": "integer"},
        "replacement": _TEXT,
        "action": {"enum": _ACTIONS},
    }
)
_ENDPOINT = {
    "port": _TEXT,
    "path": _TEXT,
    "scheme": {"enum": ["http", "https"]},
    "interval": _DURATION,
    "scrapeTimeout": _DURATION,
    "honorLabels": {"type": "boolean"},
    "tlsConfig": _TLS,
    "basicAuth": _object({"username": _KEY, "password": _KEY}),
    "relabelings": _list(_RELABELING),
    "metricRelabelings": _list(_RELABELING),
}
_RULE = {
    **_object(
        {
            "alert": _TEXT,
            "record": _TEXT,
            "expr": _TEXT,
            "for": _DURATION,
            "keep_firing_for": _DURATION,
            "labels": _TEXTS,
            "annotations": _TEXTS,
        },
        "expr",
    ),
    "oneOf": [{"required": ["alert"]}, {"required": ["record"], "not": {"required": ["for"]}}],
}
_GROUP = _object(
    {
        "name": {**_TEXT, "minLength": 1},
        "interval": _DURATION,
        "limit": {"type": "integer"},
        "rules": {**_list(_RULE), "minItems": 1},
    },
    "name",
)


def _kind(kind: str, spec: Json) -> Json:
    metadata = _object({"name": _TEXT, "namespace": _TEXT, "labels": _TEXTS, "annotations": _TEXTS}, "name")
    return _object(
        {"apiVersion": {"const": "monitoring.coreos.com/v1"}, "kind": {"const": kind}, "metadata": metadata, "spec": spec},
        "apiVersion", "kind", "metadata", "spec",
    )  # fmt: skip


def _monitor(kind: str, endpoints: str) -> Json:
    spec = {"selector": _LABEL_SELECTOR, "namespaceSelector": _NAMESPACES, endpoints: _list(_object(_ENDPOINT)), "jobLabel": _TEXT}
    return _kind(kind, _object(spec, "selector", endpoints))


SCHEMAS = {
    "ServiceMonitor": _monitor("ServiceMonitor", "endpoints"),
    "PodMonitor": _monitor("PodMonitor", "podMetricsEndpoints"),
    "PrometheusRule": _kind("PrometheusRule", _object({"groups": _list(_GROUP)}, "groups")),
}
