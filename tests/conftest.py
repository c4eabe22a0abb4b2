"""Settings of all tests."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True)  # the same examples each time: CI must not flicker
if os.environ.get("CI"):
    settings.load_profile("ci")
