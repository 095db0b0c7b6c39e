"""The LoRA adapters of one emulated engine: names it serves beside its model, with KV of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from stack.emulator.errors import ApiError


class LoadBody(msgspec.Struct):
    """POST /v1/load_lora_adapter."""

    lora_name: str
    lora_path: str


class UnloadBody(msgspec.Struct):
    """POST /v1/unload_lora_adapter."""

    lora_name: str


class Adapters:
    """Paths by name. Nothing is read from a path, and an adapter costs no time."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._paths = {name: f"/adapters/{name}" for name in names}

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def path(self, name: str) -> str:
        """Where it was loaded from."""
        return self._paths[name]

    def load(self, body: LoadBody) -> str:
        """Serve one more; answers what the engine says. Raises ApiError."""
        if body.lora_name in self._paths:
            raise ApiError(400, "InvalidUserInput", f"The lora adapter '{body.lora_name}' has already been loaded.")
        self._paths[body.lora_name] = body.lora_path
        return f"Success: LoRA adapter '{body.lora_name}' added successfully."

    def unload(self, body: UnloadBody) -> str:
        """Serve one less; answers what the engine says. Raises ApiError."""
        if self._paths.pop(body.lora_name, None) is None:
            raise ApiError(404, "NotFoundError", f"The lora adapter '{body.lora_name}' cannot be found.")
        return f"Success: LoRA adapter '{body.lora_name}' removed successfully."

    def cards(self, card: dict[str, object]) -> Iterator[dict[str, object]]:
        """Each one's card, `card` being the model's."""
        for name, path in self._paths.items():
            yield card | {"id": name, "root": path, "parent": card["id"], "max_model_len": None}
