"""Text to tokens and back, as llama.cpp does it for a model that has its vocabulary in its file."""

from __future__ import annotations

from pathlib import Path

from mnemocraft.llm.gguf_file import read_gguf

CONTROL, OWN, BYTE = 3, 4, 6
"""Kinds of tokens: marks, whole pieces of text that are never put together, and single bytes."""
FIELDS = ("tokens", "scores", "token_type")
END = ("<eos>", "<end_of_turn>")


class Words:
    """A tokenizer that puts pairs together by their scores and writes spaces as ``▁``.

    Args:
        texts, scores, kinds: Of the tokens, in the order of their ids.

    Attributes:
        texts: As given.
        end: Ids of the tokens that end an answer.
    """

    @classmethod
    def of(cls, path: Path) -> Words:
        """The tokenizer in a GGUF file."""
        fields = read_gguf(path).fields
        return cls(*(fields[f"tokenizer.ggml.{name}"].contents() for name in FIELDS))

    def __init__(self, texts: list[str], scores: list[float], kinds: list[int]) -> None:
        from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers

        self.texts = texts
        ids = {text: number for number, text in enumerate(self.texts)}
        pairs = [
            (-scores[number], number, text[:cut], text[cut:])
            for text, number in ids.items()
            if kinds[number] not in (CONTROL, OWN, BYTE)
            for cut in range(1, len(text))
            if text[:cut] in ids and text[cut:] in ids
        ]
        merges = [(first, second) for _, _, first, second in sorted(pairs)]
        self._tokenizer = Tokenizer(models.BPE(ids, merges, unk_token="<unk>", byte_fallback=True))
        self._tokenizer.normalizer = normalizers.Replace(" ", "▁")
        self._tokenizer.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
        )
        for kind, add in ((CONTROL, self._tokenizer.add_special_tokens), (OWN, self._tokenizer.add_tokens)):
            named = [text for text, of in zip(self.texts, kinds, strict=True) if of == kind]
            add([AddedToken(text, normalized=False) for text in named])
        self.end = {ids[text] for text in END}

    def tokens(self, text: str) -> list[int]:
        """Of a text, whose marks become the tokens of that name."""
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def text(self, tokens: list[int]) -> str:
        """Of tokens, without marks."""
        return self._tokenizer.decode(tokens, skip_special_tokens=True)
