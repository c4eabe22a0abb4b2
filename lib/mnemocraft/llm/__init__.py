"""One chat interface to servers, a local model, recordings and the surrogate."""

from mnemocraft.llm.budget import Budget, Totals
from mnemocraft.llm.model import Model, content_name, get_model
from mnemocraft.llm.replay import export_recording, import_recording
from mnemocraft.llm.types import Message, Reply, Request, TokenLedger, Tool, ToolCall, Usage

__all__ = [
    "Budget",
    "Message",
    "Model",
    "Reply",
    "Request",
    "TokenLedger",
    "Tool",
    "ToolCall",
    "Totals",
    "Usage",
    "content_name",
    "export_recording",
    "get_model",
    "import_recording",
]
