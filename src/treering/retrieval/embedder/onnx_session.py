"""The part of onnxruntime that embedding needs, typed (it ships no type information)."""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treering.retrieval.embedder.base import EmbedderError

_LOG_ERRORS_ONLY = 3


class OnnxSession:
    """One model on the CPU, ready to run. Runs may overlap in several threads.

    Raises EmbedderError when the file can't be loaded as a model.
    """

    def __init__(self, model: Path, threads: int) -> None:
        # Without this the runtime writes a device id into the home directory and reports to its
        # makers, which a memory must never do. It is read once, at import.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        # Imported here because it takes about 0.4 s, which a process that embeds nothing should
        # not pay, and by name because it has no type information.
        runtime = import_module("onnxruntime")
        self._failures = runtime_failures()
        try:
            # enable_fallback=0, or a failure to load is printed to stdout, MCP's wire.
            self._session = runtime.InferenceSession(
                str(model),
                _options(runtime, threads),
                providers=["CPUExecutionProvider"],
                enable_fallback=0,
            )
        except self._failures as error:
            raise EmbedderError(f"onnxruntime could not load {model}") from error

    def run(self, inputs: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        """The model's first output. Raises EmbedderError."""
        try:
            output: NDArray[np.float32] = self._session.run(None, inputs)[0]
        except self._failures as error:
            raise EmbedderError("onnxruntime failed while embedding") from error
        return output


def _options(runtime: Any, threads: int) -> Any:
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _LOG_ERRORS_ONLY
    # The arena never gives memory back, and is no faster at these sizes.
    options.enable_cpu_mem_arena = False
    # Waiting threads sleep: a server that idles must not hold a core.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def runtime_failures() -> tuple[type[Exception], ...]:
    """The exceptions of the runtime, which have no common base but Exception."""
    module = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    return tuple(
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Exception)
    )
