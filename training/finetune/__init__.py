"""The small model: supervised dialogues, LoRA fine-tuning, and the adapter that llama.cpp serves.

``tasks`` (fresh tasks) -> ``demonstrate`` (dialogues of an expert) -> ``render`` (tokens) -> ``training`` ->
``export`` -> :mod:`mnemocraft.llm.local`. ``python -m training.finetune`` does it all.
"""
