"""The small model: supervised dialogues, LoRA fine-tuning, and the adapter that llama.cpp serves.

``tasks`` (fresh tasks) -> ``demonstrate`` (dialogues of an expert; ``worlds``: those of other worlds) ->
``render`` (tokens) -> ``training`` -> ``export`` -> :mod:`mnemocraft.llm.local`.
``python -m training.finetune`` does it all; ``PLAN.md`` says what it will be made to do.
"""
