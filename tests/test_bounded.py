"""Reading what others wrote: bounded, never an exception of another kind, and what json.loads would read."""

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.agents.gig.answers import read_decomposition, read_fields, read_steps
from mnemocraft.agents.how2.roles import related_items
from mnemocraft.agents.m2pa import answers
from mnemocraft.agents.voyager.prompts import proposed, verdict
from mnemocraft.bounded import MAX_DEPTH, json_objects, read_json
from mnemocraft.llm import toolformat

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PROSE = st.text(alphabet="ab {}[]\",:\\\n'1", max_size=30)


@given(JSON.map(json.dumps))
def test_json_is_read_as_the_standard_library_does(text):
    assert read_json(text) == json.loads(
        json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace")
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "nested more than"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested more than"),
        ('{"a":' * 600 + "1" + "}" * 600, "nested more than"),
        (
            json.dumps([[], "]"] * 50)[:-1] + ", " + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "]",
            "nested more than",
        ),
        ("NaN", "NaN is not JSON"),
        ("x" * 9_000_000, "9,000,000 characters"),
        ("", "Expecting value"),
    ],
)
def test_what_cannot_be_read_is_a_value_error_that_says_why(text, problem):
    with pytest.raises(ValueError, match=problem):
        read_json(text)


def test_brackets_in_texts_are_not_counted_and_the_deepest_allowed_is_read():
    assert read_json(json.dumps("[" * 1000)) == "[" * 1000
    assert read_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert read_json(json.dumps([[]] * 1000)) == [[]] * 1000


def test_numbers_of_any_length_are_numbers():
    assert read_json("[1e999, 12, -3, " + "9" * 10_000 + "]") == [float("inf"), 12, -3, float("inf")]
    assert read_json("1" + "0" * 30) == 1e30


def test_half_an_emoji_does_not_make_a_reply_unstorable():
    assert read_json('{"a": "\\ud83d"}') == {"a": "?"}
    assert read_json('{"a": "\\ud83d\\ude00"}') == {"a": "😀"}


def every_object(text):
    """The objects at every opening brace, one try after the other: slow, and plain to see."""
    decoder, found = json.JSONDecoder(), []
    for match in re.finditer(r"\{", text):
        try:
            value, end = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        found.append((match.start(), end, value))
    return found


@settings(max_examples=400)
@given(
    st.lists(PROSE | st.dictionaries(st.text(), JSON, max_size=3).map(json.dumps), max_size=5).map("".join)
)
def test_objects_are_those_that_a_decoder_finds_at_every_brace(text):
    assert [tuple(found) for found in json_objects(text)] == every_object(text)


ONE_MB = 1_000_000
ATTACKS = {
    "open braces": '{"a":',
    "open and closed": '{"":{}}',
    "braces": "{",
    "closed": "{}",
    "nested in texts": '{"',
    "escapes": '{"\\"',
    "brackets": "[",
    "broken inside": '{"a":{"a":x}}',
    "thoughts": "<think>",
    "ended thoughts": "</think>",
    "begun and ended": "<think></think>x",
    "fences": "}\n```\n",
    "new lines": "\n",
    "rules": "---\n",
    "stars and spaces": "* \n",
    "names": '{"name":"',
    "fields": "Action: \n",
    "plans": "Plan:\n\n1.\n",
    "items": "RELATED ITEMS: ['a', ",
    "spaces": "{ ",
    "tasks": "Next task: obtain ",
    "quotes": "'\"",
}
READERS = {
    "a call": toolformat.parse_call,
    "objects": lambda text: list(json_objects(text)),
    "fields": read_fields,
    "steps": read_steps,
    "subtasks": read_decomposition,
    "items": related_items,
    "a workflow": lambda text: answers.read(text, answers.Workflow),
    "arguments": lambda text: toolformat.native_call("move", text),
    "a task": lambda text: proposed(text, "goal"),
    "a verdict": verdict,
}


SLOW = {"closed", "escapes", "open and closed", "new lines"}
"""The attacks that take longest, and one that took 6 s for 16 kB."""


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_time_of_every_reader_is_in_proportion_to_the_answer(attack):
    """A second for 100 kB and ten for 1 MB would do; a 33 kB answer once took five."""
    size = ONE_MB if attack in SLOW else ONE_MB // 10
    text = (ATTACKS[attack] * size)[:size]
    readers = {"a call": READERS["a call"]} if attack in SLOW else READERS
    for name, read in readers.items():
        started = time.process_time()
        read(text)
        assert time.process_time() - started < 10 * size / ONE_MB, name


def test_a_proposed_task_may_be_followed_by_any_number_of_spaces():
    """As many as an answer holds took 13 s."""
    spaces = " " * 64_000
    started = time.process_time()
    assert proposed(f"Next task: obtain stick.{spaces}", "goal") == "obtain stick"
    assert proposed(f"Next task: obtain stick{spaces}x", "goal") == "obtain stick x"
    assert proposed(f"Next task:{spaces}mine", "goal") == "goal"
    assert time.process_time() - started < 1


FIELD = re.compile(
    r"^[\s>*_#-]*(reasoning|action|summary|current progress|plan)[*_]*[ \t]*:[*_]*",
    re.MULTILINE | re.IGNORECASE,
)
"""The fields of an answer in one pattern: plain to see, and quadratic in blank lines."""
PIECES = st.sampled_from(
    [
        "Action:",
        "Plan:",
        "**Summary:** ",
        "> action :",
        "\n",
        "\n\n",
        "---\n",
        "***",
        "1. go\n",
        "2) cut",
        " ",
        "foo",
    ]
)


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_fields_are_those_of_the_plain_pattern(answer):
    """But for an action that stands in a summary after the action itself: it is the summary's."""
    begun: list[re.Match[str]] = []
    for field in FIELD.finditer(answer):
        names = [each.group(1).lower() for each in begun]
        if not ("summary" in names and "action" in names and field.group(1).lower() == "action"):
            begun.append(field)
    ends = [*(field.start() for field in begun), len(answer)][1:]
    expected = {f.group(1).lower(): answer[f.end() : end].strip() for f, end in zip(begun, ends, strict=True)}
    assert read_fields(answer) == expected


@pytest.mark.parametrize(
    ("entry", "items"),
    [
        ("RELATED ITEMS: ['stick', \"oak_log\"]", ["stick", "oak_log"]),
        ("RELATED ITEMS: [stick, 'a, b', it's]", ["stick", "a, b", "it's"]),
        ("RELATED ITEMS:\n['stick', 'stick', '']", ["stick"]),
        ("RELATED ITEMS: []", []),
        ("no list", []),
    ],
)
def test_related_items_are_names(entry, items):
    assert related_items(entry) == items


@pytest.mark.parametrize(
    "entry", ["[{{}: 1}]", "[" * 5000 + "]" * 5000, "[" + "(" * 5000 + "]", "[" + "9" * 5000 + "]"]
)
def test_a_malformed_list_of_items_never_raises(entry):
    """The first two ended every episode as a crash."""
    assert len(related_items(f"RELATED ITEMS: {entry}")) <= 50


@pytest.mark.parametrize("depth", [600, 5000])
def test_a_deep_answer_is_a_described_failure_of_every_reader(depth):
    deep = '{"a":' * depth + "1" + "}" * depth
    call = toolformat.native_call("move", deep)
    assert call.arguments == {} and "nested more than" in (call.error or "")
    assert toolformat.native_call("move", "1e999").error and toolformat.native_call("m", '{"n": 1e999}').error
    assert isinstance(read_decomposition(deep), str)
    assert answers.read("[" * depth, answers.Workflow)[1].startswith("The answer is no Workflow")


def test_a_problem_repeats_no_more_than_a_little_of_an_answer():
    long = json.dumps({"subgoals": [{"task": "oak_log", "materials": {"9" * 5000: 3}}]})
    found, problem = answers.read(long, answers.Decomposition)
    assert found is None and len(problem) < 500
