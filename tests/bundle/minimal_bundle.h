// SPDX-License-Identifier: GPL-3.0-or-later
// A small right bundle on disk, for tests that then damage it.
#pragma once

#include "core/support/json.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

/// A folder with kbundle.json and the files it names, removed at the end.
class MinimalBundle {
public:
    MinimalBundle()
    {
        for (const char* name : {"spec.md", "reference.cpp", "a.cu", "b.cu", "source.cu"})
            write(QStringLiteral("files/") + QString::fromLatin1(name), name);
    }

    QString dir() const { return m_temporary.path(); }
    QString manifestPath() const { return dir() + QStringLiteral("/kbundle.json"); }

    bool write(const QString& relative, const QByteArray& text) const
    {
        const QString path = dir() + QLatin1Char('/') + relative;
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    }
    bool writeManifest(const ridgeline::Json& json) const
    {
        return write(QStringLiteral("kbundle.json"), ridgeline::toJsonBytes(json));
    }

    /// Uses every key the reader knows, and some it does not.
    static ridgeline::Json manifest()
    {
        static const char text[] = R"({
  "schema": "kbundle/1", "id": "scale", "title": "Scale a vector", "status": "ready",
  "task_type": "optimize", "ops": ["mul"], "tags": ["tiny"], "difficulty": "easy",
  "direction": "forward", "x-lab": {"note": "kept"}, "unknown_top": [1, {"deep": null}],
  "provenance": {"collection": "tests", "anything": 1.25},
  "license": {"spdx": "GPL-3.0-or-later", "redistributable": "yes"},
  "files": [
    {"path": "files/spec.md", "role": "spec", "language": "markdown", "visibility": "shown"},
    {"path": "files/reference.cpp", "role": "reference", "language": "cpp", "upstream_path": "r"},
    {"path": "files/a.cu", "role": "candidate", "language": "cuda", "x-k": 1,
     "sha256": "80ca04fd9d16de10d7c6f2a0f9a8b8a8ba61ed2ba0ccabc4b2ae9b3cf9a6cd0e"},
    {"path": "files/b.cu", "role": "candidate", "visibility": "hidden"},
    {"path": "files/source.cu", "role": "source"}],
  "spec": {"file": "files/spec.md", "media": "md"},
  "signature": {"call_style": "c_abi", "entry": "solve", "axes": ["n", "w"],
    "params": [
      {"name": "x", "dtype": "float32", "pointer": true, "direction": "in", "shape": ["n", "w // 2", 3]},
      {"name": "y", "dtype": "bf16", "pointer": true, "direction": "out", "shape": ["n"], "const": false},
      {"name": "n", "dtype": "int32"},
      {"name": "twice", "dtype": "int64", "value": "2 * n"},
      {"name": "one", "dtype": "int32", "value": 1},
      {"name": "alpha", "dtype": "fp32", "description": "factor"}]},
  "reference": {"file": "files/reference.cpp", "entry": "reference", "framework": "cpp"},
  "source_impl": {"file": "files/source.cu", "framework": "cuda"},
  "candidates": [
    {"id": "a", "title": "A", "files": ["files/a.cu"], "language": "cuda", "expected": "correct", "x-n": 7},
    {"id": "b", "files": ["files/b.cu", "files/a.cu"], "entry": "other", "parent": "a",
     "author": "me", "model": "m", "expected": "cheat", "flags": ["-O2", "-use_fast_math"]}],
  "build": {"flags": {"cuda": ["-lineinfo"]}, "defines": {"A": 1}},
  "run": {"timeouts_s": {"compile": 10, "test": 20, "bench": 30, "ranked": 40}, "ok_exit_codes": [0, 3]},
  "cases": [
    {"id": "small", "axes": {"w": 4, "n": 3}, "args": {"alpha": 0.5}, "seeds": [3, 1]},
    {"id": "ranged", "use": "test", "axes": {"n": 8, "w": 2}, "args": {"alpha": 2}, "seed": 9,
     "inputs": {"x": {"gen": "uniform", "low": -2, "high": 2.5, "x-z": 0}},
     "tolerance": {"method": "ulp", "ulp": 2}, "argv": ["-v"]},
    {"id": "big", "use": "bench", "axes": {"n": 64, "w": 6}, "args": {"alpha": -1e-3}}],
  "correctness": {"default": {"method": "allclose", "rtol": 1e-3, "atol": 0.0, "equal_nan": true,
      "min_match_ratio": 0.99},
    "per_output": {"y": {"method": "abs", "atol": 0.25}}, "trials": 3, "forbidden": ["cublas"]},
  "timing": {"clock": "cuda_event", "warmup": {"n": 1, "ms": 5}, "reps": {"n": 7},
    "cache": {"policy": "warm"}, "fresh_inputs": false},
  "roofline": {"flops_expr": "n * w", "bytes_expr": "4 * n * w + 2 * n", "dtype": "bf16",
    "tensor_cores": true},
  "hardware": {"names": ["A100"], "min_cc": "8.0"},
  "scoring": {"method": "speedup", "baseline": "a"}
})";
        return *ridgeline::parseJson(QByteArray(text), QStringLiteral("minimal"));
    }

private:
    QTemporaryDir m_temporary;
};
