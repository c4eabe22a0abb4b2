"""Every request of the studies' agents is sent as it always was, and the episodes go as they went.

The expectation was recorded before agents, worlds and memories were given one interface.
"""

from __future__ import annotations

import json

from request_hashes import played, recorded


def test_requests_and_outcomes_are_what_they_were() -> None:
    """All conditions of notebooks 01, 03, 04 and 09, a few tasks each."""
    expected = recorded()
    seen = set()
    for key, found in played():
        seen.add(key)
        metrics = found["metrics"]  # further ones may be counted
        found["metrics"] = {name: metrics.get(name) for name in expected[key]["metrics"]}
        assert json.loads(json.dumps(found)) == expected[key], key
    assert seen == expected.keys()
