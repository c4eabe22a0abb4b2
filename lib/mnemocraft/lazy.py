"""Names of a package that are imported when they are first asked for, as they need an extra."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from mnemocraft.errors import MissingExtra


def importer(package: str, modules: Mapping[str, str], extra: str = "") -> Callable[[str], Any]:
    """The ``__getattr__`` of a package.

    Args:
        package: Its name.
        modules: By module of the package its public names, with spaces between them.
        extra: What to install if something is missing, such as ``graph``; by default an error is passed on.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            module = import_module(f"{package}.{module_of[name]}")
        except ImportError as missing:
            if not extra:
                raise
            raise MissingExtra(
                f"{name} needs {missing.name}, which is not installed: pip install 'mnemocraft[{extra}]'."
            ) from None
        return getattr(module, name)

    return get
