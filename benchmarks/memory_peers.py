"""Other engines on the vectors of :mod:`benchmarks.bench_memory`, asked one query at a time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import faiss
import numpy as np

Search = Callable[[np.ndarray, int], list[int]]
SMALL = 10_000
"""Entries for Qdrant's embedded mode, which is meant for few: it is numpy over all, and slow to store."""


def scan_numpy(vectors: np.ndarray, folder: Path) -> Callable[[], Search]:
    """Brute force, on as many threads as the BLAS takes."""
    np.save(folder / "vectors.npy", vectors)

    def opened() -> Search:
        kept = np.load(folder / "vectors.npy")
        return lambda query, k: np.argsort(-(kept @ query))[:k].tolist()

    return opened


def scan_faiss(vectors: np.ndarray, folder: Path) -> Callable[[], Search]:
    """IndexFlatIP on one thread."""
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    faiss.write_index(index, str(folder / "flat.faiss"))

    def opened() -> Search:
        kept = faiss.read_index(str(folder / "flat.faiss"))
        return lambda query, k: kept.search(query[None], k)[1][0].tolist()

    return opened


def lancedb(vectors: np.ndarray, folder: Path) -> Callable[[], Search]:
    """LanceDB with its IVF-PQ index; 40 partitions are looked at and 20 times as many vectors compared."""
    import lancedb
    import pyarrow as pa

    numbers = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    rows = pa.table({"id": np.arange(len(vectors)), "vector": numbers})
    table = lancedb.connect(folder / "lance").create_table("entries", rows)
    table.create_index(metric="dot", vector_column_name="vector")

    def opened() -> Search:
        kept = lancedb.connect(folder / "lance").open_table("entries")

        def search(query: np.ndarray, k: int) -> list[int]:
            found = kept.search(query).distance_type("dot").nprobes(40).refine_factor(20).limit(k)
            return found.select(["id"]).to_arrow()["id"].to_pylist()

        return search

    return opened


def qdrant_embedded(vectors: np.ndarray, folder: Path) -> Callable[[], Search]:
    """qdrant-client without a server."""
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(folder / "qdrant"))
    size = models.VectorParams(size=vectors.shape[1], distance=models.Distance.DOT)
    client.create_collection("entries", size)
    for start in range(0, len(vectors), 1000):
        ids = list(range(start, min(start + 1000, len(vectors))))
        client.upsert("entries", models.Batch(ids=ids, vectors=vectors[ids].tolist()))
    client.close()

    def opened() -> Search:
        kept = QdrantClient(path=str(folder / "qdrant"))
        return lambda query, k: [p.id for p in kept.query_points("entries", query.tolist(), limit=k).points]

    return opened


def chromadb(vectors: np.ndarray, folder: Path) -> Callable[[], Search]:
    """Chroma's HNSW, with a breadth of 200."""
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    table = chromadb.PersistentClient(str(folder / "chroma"), settings).create_collection(
        "entries", configuration={"hnsw": {"space": "ip", "ef_search": 200}}, embedding_function=None
    )
    for start in range(0, len(vectors), 1000):
        ids = [str(n) for n in range(start, min(start + 1000, len(vectors)))]
        table.add(ids=ids, embeddings=vectors[start : start + 1000])

    def opened() -> Search:
        kept = chromadb.PersistentClient(str(folder / "chroma"), settings).get_collection("entries", None)
        return lambda query, k: [int(id) for id in kept.query([query], n_results=k, include=[])["ids"][0]]

    return opened


def compared(vectors: np.ndarray, queries: np.ndarray, k: int, folder: Path) -> list[dict[str, Any]]:
    """One row per engine that is installed: p50, recall, opening and storing."""
    rows: list[dict[str, Any]] = []
    for engine in (scan_numpy, scan_faiss, lancedb, qdrant_embedded, chromadb):
        needs = {"qdrant_embedded": "qdrant_client", "scan_numpy": "numpy", "scan_faiss": "faiss"}
        name = engine.__name__
        if find_spec(needs.get(name, name)) is None:
            rows.append({"engine": name, "not run": "not installed"})
            continue
        own = vectors[:SMALL] if engine is qdrant_embedded else vectors
        truth = np.argsort(-(queries @ own.T), axis=1)[:, :k]
        started = time.perf_counter()
        opener = engine(own, folder)
        stored = time.perf_counter() - started
        started = time.perf_counter()
        search = opener()
        search(queries[0], k)
        opened = time.perf_counter() - started
        took, hits = [], 0
        for query, best in zip(queries, truth, strict=True):
            started = time.perf_counter()
            found = search(query, k)
            took.append((time.perf_counter() - started) * 1e3)
            hits += len(set(found) & set(best.tolist()))
        rows.append(
            {
                "engine": name,
                "entries": len(own),
                "p50_ms": round(statistics.median(took), 3),
                f"recall@{k}": round(hits / len(queries) / k, 4),
                "opened_with_first_query_s": round(opened, 2),
                "stored_and_indexed_s": round(stored, 1),
            }
        )
        print(rows[-1], flush=True)
    return rows
