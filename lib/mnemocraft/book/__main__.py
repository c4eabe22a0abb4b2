"""``python -m mnemocraft.book``: the site and the pages, from the notebooks that were executed here."""

import sys
from importlib.util import find_spec

from mnemocraft import paths
from mnemocraft.book import executed, pages
from mnemocraft.errors import MnemocraftError


def main() -> int:
    """Make both. Returns the exit status: 0, or 2 if something is missing that has to be made first."""
    root = paths.output_root()
    books = executed.find(root / "build" / "notebooks")
    try:
        if not books:
            raise MnemocraftError("The book needs executed notebooks; run ./run_all.sh first.")
        if not (find_spec("myst_nb") and find_spec("pydata_sphinx_theme")):
            raise MnemocraftError("The book needs its extra: pip install -c constraints.txt -e '.[book]'")
        from mnemocraft.book import site

        index = site.build(books, root / "build" / "book")
    except MnemocraftError as error:
        print(f"run_all.sh: {error}", file=sys.stderr)
        return 2
    written = pages.write(books, root / "book")
    print(f"{len(books)} notebooks: {index}; {len(written)} pages in {root / 'book'}")
    kept = [book.name for book in books if root / "book" / f"{book.name}.md" not in written]
    if kept:
        print(f"No page was made of {', '.join(kept)}: the tables in data/results are of another profile.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
