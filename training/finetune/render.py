"""Dialogues as tokens: the very text that the server makes of a request, and which tokens to learn.

A turn is wrapped as :data:`~mnemocraft.llm.local.CHAT_TEMPLATE` has it; an assistant's turn, with the mark
that ends it, is what the model has to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mnemocraft.llm import toolformat
from mnemocraft.llm.local import CHAT_TEMPLATE
from training.finetune.demonstrate import Dialogue

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_MODEL, _END, _TURN = "<start_of_turn>model\n", "<end_of_turn>", "<start_of_turn>user\n"


@dataclass(frozen=True)
class Sequence:
    """One dialogue in tokens.

    Attributes:
        tokens: int64, shape (n,).
        learn: bool, shape (n,): tokens the model has to predict.
        shared: How many tokens at the start are the system message, which many dialogues share.
    """

    tokens: np.ndarray
    learn: np.ndarray
    shared: int


def prompt(messages: list[dict], tools: list[dict] | None, tokenizer: PreTrainedTokenizerBase) -> str:
    """The text that a request becomes, up to where the model's turn begins."""
    plain = toolformat.as_text(messages, tools)
    return tokenizer.apply_chat_template(
        plain, chat_template=CHAT_TEMPLATE, tokenize=False, add_generation_prompt=True
    )


def sequence(dialogue: Dialogue, tokenizer: PreTrainedTokenizerBase, longest: int) -> Sequence:
    """Tokens of a dialogue, cut after ``longest`` (a long task's first steps are as good as another's)."""
    plain = toolformat.as_text(dialogue.messages, dialogue.tools)
    text = tokenizer.apply_chat_template(plain, chat_template=CHAT_TEMPLATE, tokenize=False)
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    spans = _turns(text, dialogue.targets)
    starts = np.array([start for start, _ in encoded["offset_mapping"]])
    learn = np.zeros(len(starts), dtype=bool)
    for start, end in spans:
        learn |= (starts >= start) & (starts < end)
    system = text.index(_TURN) if plain[0]["role"] == "system" else 0
    shared = int((starts < system).sum())
    return Sequence(np.array(encoded["input_ids"][:longest]), learn[:longest], shared)


def _turns(text: str, targets: list[bool]) -> list[tuple[int, int]]:
    """Where in the text the assistant's turns that are to be learnt begin and end."""
    spans, at = [], 0
    for wanted in targets:
        start = text.index(_MODEL, at) + len(_MODEL)
        at = text.index(_END, start) + len(_END)
        if wanted:
            spans.append((start, at))
    return spans
