"""Tool calls on the wire: native ones, and a JSON-in-text form for servers that have none.

Everything a server sends is read defensively: what cannot be read becomes a :class:`ToolCall` with an
``error``, or plain text, never an exception.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from mnemocraft.bounded import json_objects, read_json
from mnemocraft.llm.types import Message, Request, Tool, ToolCall

VERSION = 2
"""Of the text form below; part of a text-mode model's name in requests, because it changes answers."""

INSTRUCTIONS = (
    "You act by calling a tool. Answer with exactly one JSON object and nothing else:\n"
    '{"name": "<tool>", "arguments": {<its arguments>}}\n'
    "The tools, each with its arguments:\n"
)

LONGEST_ARGUMENTS = 64_000
"""Characters of a call's arguments."""

_THOUGHT = re.compile(r"<(/?)think(?:ing)?>")
_FENCE = re.compile(r"```(?:json)?\s*+(?=\{)|(?<=\})\s*+```")
_BROKEN = re.compile(r'\{\s*+"name"\s*+:\s*+"([^"\\]{1,200}+)"')


def native_call(name: str, arguments: str | dict[str, Any] | None) -> ToolCall:
    """One native tool call; ``arguments`` is JSON text as the OpenAI API has it, or already an object."""
    try:
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        if len(written) > LONGEST_ARGUMENTS:
            raise ValueError(f"{len(written):,} characters, and {LONGEST_ARGUMENTS:,} are allowed")
        value = read_json(written) if written.strip() else None
        json.dumps(value, allow_nan=False)  # a number that is too large would be infinite
    except ValueError as error:
        return ToolCall(name, {}, f"the arguments are not valid JSON ({error})")
    if value is None:
        value = {}
    if not isinstance(value, dict):
        return ToolCall(name, {}, f"the arguments must be a JSON object, not {type(value).__name__}")
    return ToolCall(name, value)


def strip_reasoning(text: str) -> str:
    """The text without ``<think>...</think>``, also where the opening tag is missing."""
    kept: list[str] = []
    begun, place = -1, 0
    for tag in _THOUGHT.finditer(text):
        if tag.group(1):  # what stands before an end without a beginning was thought as well
            if begun < 0:
                kept.clear()
            begun, place = -1, tag.end()
        elif begun < 0:
            kept.append(text[place : tag.start()])
            begun = tag.start()
    return ("".join(kept) + text[begun if begun >= 0 else place :]).strip()


def parse_call(text: str) -> tuple[str, list[ToolCall]]:
    """Find the first JSON object with a ``name`` and ``arguments`` in a model's text.

    Returns:
        The text around the object, and the call; no call when there is none. A call that was begun but
        is broken comes back with an ``error``.
    """
    text = strip_reasoning(text)
    for found in json_objects(text):
        if call := _as_call(found.value):
            return _FENCE.sub("", text[: found.start] + text[found.end :]).strip(" \n`"), [call]
    if broken := _BROKEN.search(text):
        return text[: broken.start()].strip(), [
            ToolCall(broken.group(1), {}, f"the call is not valid JSON: {text[broken.start() :][:200]}")
        ]
    return text, []


def _as_call(value: dict[str, Any]) -> ToolCall | None:
    if isinstance(value.get("function"), dict):
        value = value["function"]
    for field in ("arguments", "parameters"):
        if isinstance(value.get("name"), str) and field in value:
            return native_call(value["name"], value[field])
    return None


def as_text(messages: list[Message], tools: list[Tool] | None) -> list[Message]:
    """Rewrite a conversation for a server without tool calls.

    The tools go to the end of the system message, one line each (a third of the tokens of their schemas),
    an assistant's ``tool_calls`` become the JSON they would be in text, a tool's answer becomes a user
    message. Neighbouring messages of one role are joined, because many chat templates insist that user
    and assistant take turns.
    """
    plain = [_plain(message) for message in messages]
    if tools:
        offer = INSTRUCTIONS + "\n".join(_in_one_line(tool["function"]) for tool in tools)
        if plain and plain[0]["role"] == "system":
            plain[0] = {**plain[0], "content": f"{plain[0]['content'].rstrip()}\n\n{offer}"}
        else:
            plain.insert(0, {"role": "system", "content": offer})
    joined: list[Message] = []
    for message in plain:
        if joined and joined[-1]["role"] == message["role"]:
            content = f"{joined[-1]['content']}\n\n{message['content']}"
            joined[-1] = {"role": message["role"], "content": content}
        else:
            joined.append(message)
    return joined


def _in_one_line(function: dict[str, Any]) -> str:
    """``- name(argument: type, ...): description``; what a type does not say stays JSON schema."""
    parameters = (function.get("parameters") or {}).get("properties", {})
    arguments = ", ".join(f"{name}: {_in_words(schema)}" for name, schema in parameters.items())
    return f"- {function['name']}({arguments}): {function.get('description', '')}"


def _in_words(schema: dict[str, Any]) -> str:
    """A simple argument's type and description; anything with a structure of its own as its JSON schema."""
    if schema.keys() - {"type", "description", "pattern", "minimum", "maximum"}:
        return json.dumps(schema, ensure_ascii=False)
    about = schema.get("description")
    return f"{schema.get('type', 'any')} ({about})" if about else str(schema.get("type", "any"))


def _plain(message: Message) -> Message:
    content = message.get("content") or ""
    if message["role"] == "tool":
        return {"role": "user", "content": f"Result: {content}"}
    parts = [content] if content else []
    for call in message.get("tool_calls") or ():
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        parts.append(f'{{"name": {json.dumps(name)}, "arguments": {written}}}')
    return {"role": message["role"], "content": "\n".join(parts)}


def call_schema(tools: list[Tool], longest_text: int = 200) -> dict[str, Any]:
    """JSON schema of exactly one call of one of ``tools``, to constrain a local model's output.

    Strings without a limit of their own get ``longest_text`` characters: a small model would otherwise
    ramble on inside one until its tokens run out and the call is cut in the middle.
    """
    return {"anyOf": [_one_call(tool["function"], longest_text) for tool in tools]}


def _one_call(function: dict[str, Any], longest_text: int) -> dict[str, Any]:
    arguments = function.get("parameters") or {"type": "object", "properties": {}}
    properties = {"name": {"const": function["name"]}, "arguments": _bounded(arguments, longest_text)}
    return {
        "type": "object",
        "properties": properties,
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _bounded(schema: Any, longest_text: int) -> Any:
    if isinstance(schema, list):
        return [_bounded(item, longest_text) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: _bounded(value, longest_text) for key, value in schema.items()}
    if schema.get("type") == "string" and not {"enum", "const", "maxLength", "pattern"} & schema.keys():
        schema["maxLength"] = longest_text
    return schema


def steady_ids(messages: list[Message]) -> list[Message]:
    """The messages with tool-call ids renumbered in order of appearance.

    Ids are random on most servers; left in, they would make every request unique and the cache useless.
    Nine letters and digits is the one form that every known server accepts.
    """
    if not any("tool_calls" in message or "tool_call_id" in message for message in messages):
        return messages
    names: dict[str, str] = {}

    def name(old: str) -> str:
        return names.setdefault(old, f"call{len(names):05d}")

    renamed = []
    for message in messages:
        message = dict(message)
        if message.get("tool_calls"):
            message["tool_calls"] = [
                {**call, "id": name(call.get("id", ""))} for call in message["tool_calls"]
            ]
        if "tool_call_id" in message:
            message["tool_call_id"] = name(message["tool_call_id"])
        renamed.append(message)
    return renamed


def normal(request: Request) -> Request:
    """The request in the one form that is hashed: ``0`` and ``0.0``, no tools and ``[]`` are the same."""
    return replace(
        request,
        messages=steady_ids(request.messages),
        tools=request.tools or None,
        temperature=float(request.temperature),
    )
