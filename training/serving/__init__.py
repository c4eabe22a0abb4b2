"""A server of the small models in PyTorch, for many streams at a time (:mod:`training.serving.server`)."""
