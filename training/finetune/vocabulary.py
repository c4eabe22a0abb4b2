"""The tokens that a world's texts are made of: a few thousand of Gemma's 262,144.

All that is learnt is predicted among these, and the served model holds no others
(:mod:`mnemocraft.llm.merged`). Its tokenizer then still makes the same tokens of the same texts: a token is
put together from shorter ones, pair by pair, and every part of a kept token is kept.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mnemocraft.envs.alfworld import TYPES
from mnemocraft.envs.kitchen import TASKS
from mnemocraft.surrogate.minds.minecraft.sources import shortest
from training.finetune.render import Sequence
from training.finetune.worlds import VERSIONS

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_ALWAYS = re.compile(r"<0x..>|<(?:pad|eos|bos|unk|start_of_turn|end_of_turn)>|▁+|\n+")
"""Bytes, of which any text can be made; marks; white space."""


def vocabulary(sequences: Iterable[Sequence], tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """The tokens of the sequences and of the names below, and every part of them, in ascending order."""
    known = tokenizer.get_vocab()
    kept = {token for item in sequences for token in item.tokens.tolist()}
    for names in _names():
        kept.update(tokenizer(names, add_special_tokens=False)["input_ids"])
    kept |= {number for text, number in known.items() if _ALWAYS.fullmatch(text)}
    kept |= {known[letter] for letter in string.printable if letter in known}
    texts = tokenizer.convert_ids_to_tokens(sorted(kept))
    return sorted(kept | {known[part] for text in texts for part in _parts(text) if part in known})


def _names() -> Iterator[str]:
    """Minecraft's items and the kinds of tasks, as texts have them: alone, after a space, and quoted.

    Other names are kept as far as the sequences say them.
    """
    items = {item for version in VERSIONS for item in shortest(version)}
    for name in sorted(items | set(TASKS) | set(TYPES)):
        yield f'{name}\n {name}\n"{name}" {name.replace("_", " ")}'


def _parts(text: str) -> Iterator[str]:
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            yield text[start:end]
