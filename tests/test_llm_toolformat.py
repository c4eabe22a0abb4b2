"""Tool calls on the wire: what any server may send is read without a crash, and round trips hold."""

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mnemocraft.llm import toolformat
from mnemocraft.llm.types import ToolCall

MOVE = {
    "type": "function",
    "function": {
        "name": "move",
        "description": "Move items.",
        "parameters": {
            "type": "object",
            "properties": {"slot_from": {"type": "string"}, "quantity": {"type": "integer"}},
            "required": ["slot_from", "quantity"],
        },
    },
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NO_SURROGATES = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    before=st.sampled_from(["", "I will move it.\n", '<think>{"name": "smelt", "arguments": {}}</think>\n']),
    fence=st.booleans(),
    name=st.sampled_from(["move", "smelt", "it's"]),
    arguments=st.dictionaries(NO_SURROGATES, JSON, max_size=4),
    after=st.sampled_from(["", "\nDone.", ' {"name": "second", "arguments": {}}']),
)
def test_a_call_in_text_is_found_whatever_surrounds_it(before, fence, name, arguments, after):
    written = json.dumps({"name": name, "arguments": arguments})
    assume("think" not in written)  # a tag inside an argument could as well end a thought
    written = f"```json\n{written}\n```" if fence else written
    text, calls = toolformat.parse_call(before + written + after)
    assert calls == [ToolCall(name, arguments)]
    assert "think" not in text and written not in text


@settings(deadline=None)  # a busy machine is no fault
@given(st.text() | JSON.map(json.dumps))
def test_no_text_makes_the_parser_fail(text):
    rest, calls = toolformat.parse_call(text)
    assert isinstance(rest, str) and len(calls) <= 1
    (rest + json.dumps([call.arguments for call in calls], ensure_ascii=False)).encode("utf-8", "replace")


@pytest.mark.parametrize(
    ("text", "name", "error"),
    [
        ('{"name": "move", "arguments": {"slot_from": "I1", "quant', "move", "not valid JSON"),
        ('{"name": "move", "arguments": [1]}', "move", "must be a JSON object, not list"),
        ('{"name": "move", "arguments": "{broken"}', "move", "not valid JSON"),
        ('{"name": "move", "arguments": {"quantity": NaN}}', "move", "not valid JSON"),
    ],
)
def test_a_broken_call_in_text_keeps_its_name_and_says_what_is_wrong(text, name, error):
    _, [call] = toolformat.parse_call(text)
    assert call.name == name and call.arguments == {} and error in (call.error or "")


@pytest.mark.parametrize("form", ['{"function": %s}', "%s"])
def test_other_common_spellings_of_a_call_are_understood(form):
    inner = '{"name": "move", "parameters": "{\\"quantity\\": 2}"}'
    assert toolformat.parse_call(form % inner)[1] == [ToolCall("move", {"quantity": 2})]


@pytest.mark.parametrize("arguments", ["[]", "3", '"x"', "{", "NaN", "[" * 100_000, "9" * 10_000])
def test_native_arguments_that_are_no_object_become_an_error(arguments):
    call = toolformat.native_call("move", arguments)
    assert call.arguments == {} and call.error


@pytest.mark.parametrize("arguments", ["", "  ", None, {}])
def test_no_native_arguments_are_an_empty_object(arguments):
    assert toolformat.native_call("think", arguments) == ToolCall("think", {})


def test_reasoning_is_stripped_also_without_its_opening_tag():
    assert toolformat.strip_reasoning("<think>a</think>b<think>c</think> d") == "b d"
    assert toolformat.strip_reasoning("a {} </think>\nb") == "b"


def test_a_conversation_as_text_carries_everything_and_takes_turns():
    call = {"id": "1", "type": "function", "function": {"name": "move", "arguments": '{"quantity": 1}'}}
    messages = [
        {"role": "system", "content": "SYSTEM"},
        {"role": "user", "content": "OBSERVATION"},
        {"role": "assistant", "content": "THOUGHT", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "MOVED"},
        {"role": "user", "content": "NEXT"},
    ]
    plain = toolformat.as_text(messages, [MOVE])
    assert [message["role"] for message in plain] == ["system", "user", "assistant", "user"]
    system, _, assistant, last = (message["content"] for message in plain)
    assert system.startswith("SYSTEM\n\n") and "\n- move(slot_from: string, quantity: integer)" in system
    assert toolformat.parse_call(assistant) == ("THOUGHT", [ToolCall("move", {"quantity": 1})])
    assert "MOVED" in last and "NEXT" in last
    assert messages[0]["content"] == "SYSTEM", "the caller's messages are left alone"


def test_each_tool_is_offered_in_one_line_that_leaves_nothing_out():
    where = {"type": "string", "description": "a slot", "pattern": "[A-C][1-3]"}
    properties = {
        "slot": where,
        "kind": {"type": "string", "enum": ["é", "b"], "description": "which"},
        "items": {"type": "array", "items": {"type": "integer"}},
        "anything": {},
    }
    place = {"name": "place", "description": "Put it there.", "parameters": {"properties": properties}}
    tools = [{"type": "function", "function": function} for function in (place, {"name": "wait"})]
    [system, user] = toolformat.as_text([{"role": "user", "content": "GO"}], tools)
    assert (system["role"], user) == ("system", {"role": "user", "content": "GO"})
    *_, first, second = system["content"].split("\n")
    assert first.startswith("- place(slot: string (a slot), kind: {") and first.endswith("): Put it there.")
    assert second.startswith("- wait()")
    for name in ("kind", "items"):  # a type alone would not say what is allowed
        schema, _ = json.JSONDecoder().raw_decode(first, first.index(f"{name}: ") + len(f"{name}: "))
        assert schema == properties[name]
    assert "anything: any" in first and "é" in first


def test_without_tools_nothing_is_offered_and_the_text_form_is_final():
    messages = [{"role": "system", "content": "SYSTEM"}, {"role": "user", "content": "GO"}]
    assert toolformat.as_text(messages, None) == messages
    offered = toolformat.as_text(messages, [MOVE])
    assert toolformat.as_text(offered, None) == offered


def test_the_schema_bounds_only_strings_without_a_limit_of_their_own():
    parameters = {
        "type": "object",
        "properties": {"why": {"type": "string"}, "slot": {"type": "string", "enum": ["I1"]}},
    }
    tool = {"type": "function", "function": {"name": "stop", "parameters": parameters}}
    [choice] = toolformat.call_schema([tool], longest_text=50)["anyOf"]
    properties = choice["properties"]["arguments"]["properties"]
    assert properties == {
        "why": {"type": "string", "maxLength": 50},
        "slot": {"type": "string", "enum": ["I1"]},
    }
    assert choice["properties"]["name"] == {"const": "stop"}


def test_ids_are_renumbered_in_order_and_stay_matched():
    def conversation(first: str, second: str) -> list:
        calls = [{"id": i, "function": {"name": "move", "arguments": "{}"}} for i in (first, second)]
        return [
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": second, "content": "b"},
            {"role": "tool", "tool_call_id": first, "content": "a"},
        ]

    one, other = (toolformat.steady_ids(conversation(*ids)) for ids in (("x9", "a1"), ("q", "r")))
    assert one == other == toolformat.steady_ids(one)
    assert one[1]["tool_call_id"] == one[0]["tool_calls"][1]["id"] != one[2]["tool_call_id"]
