"""Voyager, a rival of MindStores: it sets itself tasks and keeps the programs that solved them."""
