"""Notebook 05: how well embeddings keep states apart, and what is retrieved with them."""
