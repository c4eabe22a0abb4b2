"""Settings of all tests."""

import os
import signal

import pytest
from hypothesis import settings

COMPILES = ("test_combinations.py", "test_controllers_learned.py", "test_controllers_teacher.py")

os.environ["HF_HUB_OFFLINE"] = "1"  # read when the hub's library is imported; it would ask for half a minute
# Before NumPy is imported: tests run one process a core, and more threads would wait for each other.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

settings.register_profile("ci", derandomize=True)  # the same examples each time: CI must not flicker
if os.environ.get("CI"):
    settings.load_profile("ci")

# A shell script's background job ignores Ctrl-C, and so would all that the tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The file that takes minutes first: begun last, it would be one worker's while the other has nothing.

    What plays the overworld last: beside notebook 02 it would be compiled a second time, in a minute.
    """
    order = dict.fromkeys(COMPILES, 1) | {"test_notebooks.py": -1}
    items.sort(key=lambda item: order.get(item.path.name, 0))
