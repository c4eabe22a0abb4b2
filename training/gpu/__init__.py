"""A server for one graphics card, which answers some fifty streams at a time (:mod:`training.gpu.server`)."""
