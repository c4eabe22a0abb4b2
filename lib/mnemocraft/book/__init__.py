"""The book: what the executed notebooks show, for readers who run nothing.

``run_all.sh book`` makes two forms of it without a network: a static site in ``build/book`` (``site``) and
Markdown pages in ``book/``, which are committed (``pages``). Both start from ``build/notebooks``.
"""
