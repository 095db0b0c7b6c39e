"""vLLM's command line."""

from __future__ import annotations

import json

from stack.engines.vllm_command import connectors, is_vllm, option

INNER = {"kv_connector": "NixlConnector"}
OUTER = {"kv_connector": "MultiConnector", "kv_connector_extra_config": {"connectors": [INNER, 3]}}


def test_an_option_has_its_last_value_however_it_is_spelt() -> None:
    words = ("serve", "--served-model-name", "a", "--served_model_name=b", "c")
    assert (option(words, "--served-model-name"), option(words, "--port")) == ("b", None)
    assert option(("--served-model-name",), "--served-model-name") is None


def test_nested_connectors_are_found() -> None:
    assert connectors(("--kv-transfer-config", json.dumps(OUTER))) == [OUTER, INNER]
    assert connectors(("--kv-transfer-config", "{")) == []


def test_vllm_is_known_by_its_words() -> None:
    assert [is_vllm(words) for words in (("vllm", "serve"), ("/opt/vllm/bin", "x"), ("kvdeck",))] == [True, True, False]
