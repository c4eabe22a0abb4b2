"""The shipped recording asked again: what the small model that runs here says to the same requests."""

import itertools
from collections import Counter

import pytest

from mnemocraft.errors import MissingExtra
from mnemocraft.llm.local import find_model
from mnemocraft.llm.replay import find_recording, read_recording
from mnemocraft.llm.types import Request
from mnemocraft.studies.how2.load import ADAPTER
from training.finetune.recorded import asked_again, role_of


def test_a_request_has_its_own_key_and_a_role():
    """Every tenth: a key takes as long as the conversation is."""
    _, entries = read_recording(find_recording(ADAPTER))
    roles = Counter()
    for entry in itertools.islice(entries, 0, None, 10):
        request = Request(**entry["request"])
        assert request.key() == entry["key"]
        roles[role_of(request)] += 1
    assert roles.keys() == {"actor", "ask", "parse", "relevance", "teacher"} and roles["actor"] > 2000


@pytest.mark.long
def test_a_few_requests_asked_again_are_answered_as_recorded():
    """With the keys of the tools sorted, as recordings had them, 14 of 16 answers were others."""
    try:
        find_model(ADAPTER)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    table, speed = asked_again(2)
    assert table["asked"].sum() == 2 and speed > 0
    assert table["same"].sum() >= 1, table  # another processor may round one of them otherwise
