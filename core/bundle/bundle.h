// SPDX-License-Identifier: GPL-3.0-or-later
// kbundle/1 as values. Field list and rules: core/bundle/README.md, schema: resources/schema/.
#pragma once

#include "core/support/dtype.h"
#include "core/support/expr.h"
#include "core/support/json.h"
#include "core/support/result.h"

#include <QMap>
#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>

namespace ridgeline {

enum class TaskType { Generate, Translate, Migrate, Debug, Optimize, Fuse };
enum class BundleStatus { Ready, Stub, Broken };
/// How a candidate is entered. CAbi: extern "C" void ENTRY(params…) with device pointers; Process:
/// a whole program whose exit code decides. The rest belong to the Python languages and importers.
enum class CallStyle { CAbi, Process, Module, Function, Tuple, Dps, Operator, Closure };
enum class Expected { Unknown, Correct, Wrong, Cheat };
enum class CaseUse { Test, Bench, Example, Hidden };
enum class ParamDirection { In, Out, InOut };

struct BundleFile {
    QString path;       ///< relative to the bundle, inside files/ or native/
    QString role;       ///< spec, reference, candidate, source, baseline, sota, input_gen, checker,
                        ///< harness, header, template, golden, data, profile
    QString language;   ///< cuda, cpp, hip, python, triton, pallas, nki, markdown …
    QString visibility; ///< shown, hidden
    QString sha256;
    bool operator==(const BundleFile&) const = default;
};

/// One parameter of a c_abi entry, in call order.
struct Param {
    QString name;
    DType dtype = DType::Fp32;
    bool pointer = false; ///< a tensor in device memory; else a scalar passed by value
    ParamDirection direction = ParamDirection::In;
    QStringList shape; ///< one integer expression over axes per dimension (row-major); tensors only
    QString value; ///< scalars: expression over axes; empty = the axis, or case arg, of that name
    bool operator==(const Param&) const = default;
};

struct Signature {
    CallStyle callStyle = CallStyle::CAbi;
    QString entry; ///< "solve" unless said otherwise
    QStringList axes;
    QVector<Param> params;
    bool operator==(const Signature&) const = default;
};

/// How one input tensor is filled.
struct InputGen {
    QString gen = QStringLiteral("normal"); ///< normal(mean, std), uniform(low, high), randint(low,
                                            ///< high inclusive), full(value), arange
    double low = 0;
    double high = 1;
    double mean = 0;
    double std = 1;
    double value = 0;
    bool operator==(const InputGen&) const = default;
};

struct ToleranceRule {
    /// allclose: |y-r| <= atol + rtol*|r|; both_exceed: fails where abs > atol and rel > rtol;
    /// abs; exact; ulp: error in ULPs of the output type <= ulp, or abs <= atol.
    QString method = QStringLiteral("allclose");
    std::optional<double> rtol;
    std::optional<double> atol;
    std::optional<double> ulp;
    double minMatchRatio = 1.0; ///< share of elements that must satisfy the rule
    bool equalNan = false;
    bool operator==(const ToleranceRule&) const = default;
};

struct BundleCase {
    QString id;
    CaseUse use = CaseUse::Test;
    QMap<QString, qint64> axes;
    QMap<QString, double> args; ///< scalar parameters by name
    QVector<quint64> seeds;     ///< one run per seed, 0 to 2^53; empty = {0}
    QMap<QString, InputGen>
        inputs; ///< by parameter name; absent = normal(0, 1), integers randint(0, 127)
    std::optional<ToleranceRule> tolerance;
    QStringList argv; ///< process style: arguments of the program
    bool operator==(const BundleCase&) const = default;
};

struct Candidate {
    QString id;
    QString title;
    QStringList files; ///< first is the one shown
    QString entry;     ///< overrides Signature::entry when not empty
    QString language = QStringLiteral("cuda");
    QString author;
    QString model;
    QString parent;
    Expected expected = Expected::Unknown;
    QStringList flags; ///< further nvcc flags
    bool operator==(const Candidate&) const = default;
};

/// reference: a C++ file with extern "C" void ENTRY(params…): tensors of float types as double*,
/// integer tensors as their own type, float scalars as double. Row-major host memory.
struct Reference {
    QString file;
    QString entry = QStringLiteral("reference");
    QString framework; ///< cpp
    bool operator==(const Reference&) const = default;
};

struct Timeouts {
    int compileS = 300;
    int testS = 120;
    int benchS = 300;
    bool operator==(const Timeouts&) const = default;
};

struct TimingPlan {
    int warmup = 3;
    int reps = 20;
    QString cachePolicy; ///< cold (flush between repetitions) or warm; empty = cold
    bool freshInputs = true;
    bool operator==(const TimingPlan&) const = default;
};

struct RooflineSpec {
    QString flopsExpr;         ///< over axes; FMA = 2
    QString bytesExpr;         ///< least DRAM traffic over axes, in bytes
    DType dtype = DType::Fp32; ///< the roof to compare with
    bool tensorCores = false;
    bool operator==(const RooflineSpec&) const = default;
};

/// A task. A value: copy it freely between threads. `raw` holds the manifest as read, unknown
/// keys included; saveBundle writes it back with the typed fields laid over it.
struct Bundle {
    QString dir; ///< absolute folder that holds kbundle.json
    QString id;
    QString title;
    BundleStatus status = BundleStatus::Ready;
    TaskType taskType = TaskType::Generate;
    QStringList ops;
    QStringList tags;
    QString difficulty;
    QVector<BundleFile> files;
    QString specFile; ///< relative; empty = none
    Signature signature;
    std::optional<Reference> reference; ///< absent = status Stub
    QString sourceImpl; ///< relative file that is translated or migrated; empty = none
    QVector<Candidate> candidates;
    QVector<BundleCase> cases;
    ToleranceRule tolerance;                ///< correctness.default
    QMap<QString, ToleranceRule> perOutput; ///< by parameter name
    QStringList forbidden;                  ///< names a candidate may not use
    int trials = 1;
    Timeouts timeouts;
    QVector<int> okExitCodes{0};
    QStringList cudaFlags;
    TimingPlan timing;
    RooflineSpec roofline;
    QString baselineCandidate; ///< id of the candidate others are compared with; empty = none
    QStringList hardwareNames;
    QStringList warnings; ///< what the loader noticed but did not refuse
    Json raw;

    /// Absolute path of a bundle file (already checked by the loader).
    QString absolute(const QString& relative) const { return dir + QLatin1Char('/') + relative; }
    const Candidate* candidate(const QString& candidateId) const;
    /// Rule for one output of one case: case, then per output, then default.
    ToleranceRule toleranceFor(const BundleCase& c, const QString& output) const;
};

QString taskTypeName(TaskType type); ///< generate, translate, migrate, debug, optimize, fuse
QString bundleStatusName(BundleStatus status);        ///< ready, stub, broken
QString callStyleName(CallStyle style);               ///< c_abi, process, module, function, …
QString expectedName(Expected expected);              ///< unknown, correct, wrong, cheat
QString caseUseName(CaseUse use);                     ///< test, bench, example, hidden
QString paramDirectionName(ParamDirection direction); ///< in, out, inout

/// Every complaint about a manifest, each with file and JSON pointer; empty = valid.
/// Checks the schema's rules and what a schema cannot say: ids unique, references resolve,
/// expressions parse, files exist inside the bundle and are no links out of it. After 200
/// complaints one more says that the rest is left out.
QVector<Error> validateBundle(const Json& manifest, const QString& dir);

/// Loads DIR/kbundle.json. DIR may also name the manifest itself, or an archive of the bundle, which
/// is then unpacked (unpackedBundle). The first error of
/// validateBundle is returned; use validateBundle for all. Executes nothing. Any thread.
Result<Bundle> loadBundle(const QString& dirOrManifest);

/// Writes kbundle.json atomically. Keys this version does not know stay as they were read, in
/// their order; a file that already says the same is not touched, so its bytes stay.
Result<void> saveBundle(const Bundle& bundle);

/// Manifest JSON of a bundle: `raw` with the typed fields laid over it.
Json bundleToJson(const Bundle& bundle);

} // namespace ridgeline
