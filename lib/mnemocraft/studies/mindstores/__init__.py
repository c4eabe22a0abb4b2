"""Notebook 06: MindStores, its parts and its number of neighbours, beside DEPS and other memories."""
