"""A script for the engine environment: turns the GGUF file of argument 1 into the safetensors folder of argument 2.

It runs under the engines' interpreter, which has no kvdeck. The weights are saved as bfloat16, half the size of
float32: they come from a 4-bit file, whose own error is far above bfloat16's rounding, and an engine served at
float32 widens them without loss. The tokenizer is not written here (see tokenizer.py).
"""

from __future__ import annotations

import sys
from pathlib import Path


def convert(source: Path, folder: Path) -> None:
    """Writes config.json, generation_config.json and model.safetensors."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name)
    model = model.to(torch.bfloat16)
    # The weights are plain now; these would make the saved folder claim a quantization that it has not.
    del model.config.quantization_config
    model.hf_quantizer = None
    model.is_quantized = False
    model.save_pretrained(folder)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
