"""What memories of scenes have in common: an encoder that tells scenes apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemocraft.encoders import get_encoder
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.interface import Cue
from mnemocraft.memory.none import NoMemory

if TYPE_CHECKING:
    from mnemocraft.memory.session import Embedding


class SceneMemory(NoMemory):
    """Tells scenes apart by the encoder that it is given, or that the first cue names."""

    def __init__(self, encoder: str | None = None) -> None:
        self.encoder, self._chosen = encoder, encoder is not None

    def embed(self, cue: Cue) -> Embedding:
        """The embedding of a cue's scene.

        Raises:
            MnemocraftError: The memory goes by the encoder of another kind of world.
        """
        self.encoder = self.encoder or cue.encoder
        if not self._chosen and self.encoder != cue.encoder:
            raise MnemocraftError(
                f"The memory tells scenes apart by the encoder {self.encoder!r}, and this world's is "
                f"{cue.encoder!r}; a memory for both is made with encoder='minilm', which reads 256 "
                "tokens of a scene."
            )
        return get_encoder(self.encoder).encode([cue.scene])[0]
