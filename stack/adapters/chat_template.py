"""A model's chat template, rendered with the settings transformers renders it with, in a sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from stack.engines import vllm_chat
from stack.model.placement import PlacementUnknownError, UnknownReason


class _Generation(Extension):
    """`{% generation %}` marks what the assistant said, for training; for a prompt it is what stands inside it."""

    tags = {"generation"}  # noqa: RUF012  # jinja2 declares it so

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


# What the sandbox lets through after a dozen questions each time: they are most of a long chat's rendering.
_LOOP_FIELDS = frozenset({"first", "last", "index", "index0", "length", "revindex", "revindex0", "previtem", "nextitem"})
_DICT_FIELDS = frozenset(dir(dict))


class _Sandbox(ImmutableSandboxedEnvironment):
    """The same rules, asked only where they could say no."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        kind = type(obj)
        if kind is LoopContext and attribute in _LOOP_FIELDS:
            return getattr(obj, attribute)
        if kind is dict and attribute not in _DICT_FIELDS:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)


class ChatTemplate:
    """One template. `special_tokens` are the tokenizer's named tokens (bos_token, eos_token, ...).

    Raises TemplateError when `source` is no template.
    """

    def __init__(self, source: str, special_tokens: Mapping[str, str], now: Callable[[], datetime] = datetime.now) -> None:
        environment = _Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols])
        environment.filters["tojson"] = _tojson
        environment.globals["raise_exception"] = _raise
        environment.globals["strftime_now"] = lambda form: now().strftime(form)
        self._template = environment.from_string(source)
        self._special_tokens = special_tokens
        self._structured = _iterates_content(environment.parse(source))
        self._knows_developer = "'developer'" in source or '"developer"' in source

    def render(self, body: Mapping[str, Any]) -> str:
        """The prompt of an OpenAI chat request. Raises PlacementUnknownError."""
        messages = vllm_chat.conversation(body.get("messages"), structured=self._structured)
        if not self._knows_developer:
            messages = vllm_chat.developer_as_system(messages)
        variables = {
            **self._special_tokens,
            "documents": None,
            **vllm_chat.template_variables(body),
            "messages": messages,
            "tools": vllm_chat.tools(body),
        }
        try:
            return self._template.render(variables)
        except Exception as error:  # a template is a program: it may fail in any way; the engine answers with its own error
            raise PlacementUnknownError(UnknownReason.TEMPLATE_FAILED, type(error).__name__) from error


def _iterates_content(template: nodes.Template) -> bool:
    """The template loops over a message's content, so it expects a list of parts and not a text."""
    return any(_is_content(loop.iter) for loop in template.find_all(nodes.For))


def _is_content(node: nodes.Node | None) -> bool:
    if isinstance(node, nodes.Filter | nodes.Test):
        return _is_content(node.node)
    if isinstance(node, nodes.Getitem):
        if isinstance(node.arg, nodes.Slice):
            return _is_content(node.node)
        return isinstance(node.arg, nodes.Const) and node.arg.value == "content"
    if isinstance(node, nodes.Getattr):
        return node.attr == "content"
    return isinstance(node, nodes.Name) and node.name == "content"


def _tojson(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """jinja2's own filter escapes for HTML, which would change the prompt."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise(message: str) -> NoReturn:
    raise TemplateError(message)
