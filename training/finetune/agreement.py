"""Whether the served model says what the trained one says: llama.cpp against ``transformers``, greedily.

Both see the same requests, without the grammar that holds tool calls to their schema at run time: a grammar
would hide differences. ``transformers`` need not generate: if its likeliest token is the server's at every
position of the server's answer, up to the mark that ends the turn, then it would have said the same. That
takes one pass over prompt and answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint
from tqdm import tqdm

from mnemocraft.agents.how2.roles import says
from mnemocraft.llm import toolformat
from mnemocraft.llm.gguf_file import read_gguf
from mnemocraft.llm.local import Local
from mnemocraft.llm.merged import TOKENS
from mnemocraft.llm.types import Message, Reply, Request, Tool
from training.finetune.render import prompt

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

NEAR_TIE = 0.5
"""Difference of log-probabilities (nats) below which two tokens count as nearly tied: llama.cpp rounds
activations to 8 bits, which moves a log-probability by about so much."""
_COMPARED = ["same", "first_difference", "trained", "served", "gap"]


def agreement(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    adapter: Path,
    prompts: Sequence[tuple[list[Message], list[Tool] | None]],
    max_tokens: int = 256,
) -> pd.DataFrame:
    """Compare answers to ``prompts``.

    Args:
        model: base model with the adapter, in single precision.
        tokenizer: the base model's.
        adapter: the same adapter as :func:`~training.finetune.export.export_adapter` wrote it.
        prompts: requests as agents make them: OpenAI messages and tools.
        max_tokens: longest answer compared.

    Returns:
        One row per prompt: the server's ``answer``; ``prompt_tokens``, ``answer_tokens`` (with the end of the
        turn); ``ended`` (the server stopped by itself); ``same`` (``transformers`` says the whole of it
        too); and where it does not, ``first_difference`` (0 for the first token), ``trained`` and
        ``served`` (the two tokens there), ``gap`` (by how much ``trained`` is likelier to ``transformers``,
        nats).

    Raises:
        MissingExtra: an extra is not installed.
        MnemocraftError: the adapter cannot be loaded.
    """
    asked = [_encode(prompt(messages, tools, tokenizer), tokenizer) for messages, tools in prompts]
    replies = asyncio.run(_served(adapter, prompts, max_tokens))
    ended = [reply.usage.completion_tokens < max_tokens for reply in replies]
    said = [
        _encode(reply.text + ("<end_of_turn>" if end else ""), tokenizer)
        for reply, end in zip(replies, ended, strict=True)
    ]
    rows: list[dict[str, Any]] = [{}] * len(prompts)
    named = read_gguf(adapter).fields.get(TOKENS)  # the server has no others
    kept = named.contents() if named else list(range(model.config.vocab_size))
    for n, choices in _choices(model, asked, said, kept):
        rows[n] = _compare(said[n], choices, tokenizer)
    answers = {
        "answer": [reply.text for reply in replies],
        "prompt_tokens": [len(tokens) for tokens in asked],
        "answer_tokens": [len(tokens) for tokens in said],
        "ended": ended,
    }
    return pd.concat([pd.DataFrame(answers), pd.DataFrame(rows, columns=_COMPARED)], axis=1)


def summary(frame: pd.DataFrame) -> dict[str, Any]:
    """What the card says of :func:`agreement`: counts, the share with its 95 % interval, and the gaps."""
    gaps = frame.loc[~frame.same, "gap"]
    low, high = proportion_confint(int(frame.same.sum()), len(frame), method="wilson")
    return {
        "prompts": len(frame),
        "same": int(frame.same.sum()),
        "share": float(frame.same.mean()),
        "low": float(low),
        "high": float(high),
        "ended": int(frame.ended.sum()),
        "answer_tokens": int(frame.answer_tokens.sum()),
        "near_ties": int((gaps < NEAR_TIE).sum()),
        "largest_gap": float(gaps.max()) if len(gaps) else 0.0,
    }


def decisions(roles: pd.Series, expected: pd.Series, answers: pd.Series) -> dict[str, float]:
    """How well the model decides, turn by turn; a number is missing where nothing of its kind was asked.

    Args:
        roles: Of the requests.
        expected: What the expert says; of Relevance the planner's label.
        answers: What the model says.

    Returns:
        ``relevance_balanced_accuracy``: the mean of the shares of yes and of no that are found.
        ``impossible_f1``: of the Actor's calls that a task cannot be done.
    """
    found: dict[str, float] = {}
    asked = roles == "relevance"
    yes = answers[asked].map(partial(says, "yes"))
    truly = expected[asked] == "yes"
    if truly.any() and not truly.all():
        found["relevance_balanced_accuracy"] = float((yes[truly].mean() + (~yes[~truly]).mean()) / 2)
    actor = roles == "actor"
    said, meant = (texts[actor].str.contains('"name": "impossible"') for texts in (answers, expected))
    if meant.any():
        found["impossible_f1"] = float(2 * (said & meant).sum() / (said.sum() + meant.sum()))
    return found


def _encode(text: str, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    return tokenizer(text, add_special_tokens=False)["input_ids"]


async def _served(
    adapter: Path, prompts: Sequence[tuple[list[Message], list[Tool] | None]], max_tokens: int
) -> list[Reply]:
    server = Local(str(adapter))
    try:
        # Tools written into the text beforehand, so that the server is not told to hold itself to them.
        return [
            await server.generate(
                Request(server.name, toolformat.as_text(messages, tools), max_tokens=max_tokens)
            )
            for messages, tools in tqdm(prompts, desc="llama.cpp", unit="answer")
        ]
    finally:
        await server.aclose()


def _choices(
    model: PreTrainedModel, asked: list[list[int]], said: list[list[int]], kept: list[int]
) -> Iterator[tuple[int, np.ndarray]]:
    """For each prompt its number and log-probabilities, of shape (tokens of the answer, vocabulary).

    They are minus infinity for tokens that are not ``kept``. A conversation that another one continues takes
    no pass of its own.
    """
    import torch

    whole = [tuple(before + answer) for before, answer in zip(asked, said, strict=True)]
    left = sorted(range(len(whole)), key=whole.__getitem__)
    bar = tqdm(total=len(whole), desc="transformers", unit="answer")
    while left:
        longest = whole[left[-1]]
        members = [left.pop()]
        while left and longest[: len(whole[left[-1]])] == whole[left[-1]]:
            members.append(left.pop())
        before = [range(len(asked[n]) - 1, len(whole[n]) - 1) for n in members]
        places = sorted({place for span in before for place in span})
        with torch.inference_mode():
            tokens = torch.tensor([longest], device=model.device)
            keep = torch.tensor(places, device=model.device)
            logits = model(tokens, logits_to_keep=keep).logits[0].float()
            among = torch.full_like(logits, float("-inf"))
            among[:, kept] = logits[:, kept]
            found = among.log_softmax(-1).cpu().numpy()
        for n, span in zip(members, before, strict=True):
            yield n, found[np.searchsorted(places, span)]
        bar.update(len(members))
    bar.close()


def _compare(answer: list[int], choices: np.ndarray, tokenizer: PreTrainedTokenizerBase) -> dict[str, Any]:
    best = choices.argmax(axis=1)
    different = np.flatnonzero(best != answer)
    if not len(different):
        return {"same": True}
    n = int(different[0])
    return {
        "same": False,
        "first_difference": n,
        "trained": tokenizer.decode([int(best[n])]),
        "served": tokenizer.decode([answer[n]]),
        "gap": float(choices[n, best[n]] - choices[n, answer[n]]),
    }
