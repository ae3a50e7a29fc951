// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pass/case_data.h"

#include "core/numerics/convert.h"

#include <QFile>
#include <cstring>

namespace ridgeline {

namespace {

constexpr qint64 largestCase = qint64(8) << 30;

Error at(Error error, const Bundle& bundle, const QString& caseId, const Param& param)
{
    error.where.file = bundle.dir + QStringLiteral("/kbundle.json");
    error.message = QStringLiteral("case \"%1\", parameter \"%2\": %3")
                        .arg(caseId.left(80), param.name.left(80), error.message);
    return error;
}

Result<QByteArray> scalarBytes(const CaseParam& p, double value, bool reference)
{
    QByteArray bytes(16, '\0');
    if (reference && isFloat(p.param.dtype)) {
        const double rounded = roundToType(value, p.param.dtype);
        std::memcpy(bytes.data(), &rounded, sizeof rounded);
        return bytes.left(8);
    }
    encodeElement(value, p.param.dtype, bytes.data());
    return bytes.left(dtypeSize(p.param.dtype));
}

} // namespace

ExprEnv caseEnv(const BundleCase& c)
{
    ExprEnv env;
    for (auto it = c.args.begin(); it != c.args.end(); ++it)
        env.insert(it.key(), it.value());
    for (auto it = c.axes.begin(); it != c.axes.end(); ++it)
        env.insert(it.key(), double(it.value()));
    return env;
}

Result<CaseLayout> layoutCase(const Bundle& bundle, const BundleCase& c)
{
    const ExprEnv env = caseEnv(c);
    CaseLayout layout;
    layout.source = c;
    for (const Param& param : bundle.signature.params) {
        CaseParam p;
        p.param = param;
        if (!param.pointer) {
            double value = 0;
            if (param.value.isEmpty()) {
                const auto it = env.find(param.name);
                if (it == env.end())
                    return at(Error{ErrorCode::BadSchema,
                                    QStringLiteral("has no value"),
                                    {},
                                    QStringLiteral("give the case an axis or arg of that name, or "
                                                   "the parameter a value")},
                              bundle, c.id, param);
                value = it.value();
            } else {
                const auto evaluated = evaluateExpr(param.value, env);
                if (!evaluated)
                    return at(evaluated.error(), bundle, c.id, param);
                value = *evaluated;
            }
            p.scalar = *scalarBytes(p, value, false);
            p.referenceScalar = *scalarBytes(p, value, true);
            layout.params.push_back(p);
            continue;
        }
        p.count = 1;
        for (const QString& dimension : param.shape) {
            const auto size = evaluateCount(dimension, env);
            if (!size)
                return at(size.error(), bundle, c.id, param);
            p.shape.push_back(*size);
            // Checked here so that the product cannot overflow.
            if (*size > largestCase || (*size > 0 && p.count > largestCase / *size))
                return at(Error{ErrorCode::TooLarge, QStringLiteral("more than 8 GiB"), {}, {}},
                          bundle, c.id, param);
            p.count *= *size;
        }
        p.bytes = p.count * dtypeSize(param.dtype);
        p.referenceBytes = p.count * (isFloat(param.dtype) ? 8 : dtypeSize(param.dtype));
        layout.totalBytes += p.bytes;
        if (layout.totalBytes > largestCase)
            return at(Error{ErrorCode::TooLarge,
                            QStringLiteral("all tensors together need more than 8 GiB"),
                            {},
                            {}},
                      bundle, c.id, param);
        layout.params.push_back(p);
    }
    return layout;
}

Result<QVector<GeneratedTensor>> makeInputs(const CaseLayout& layout, quint64 seed,
                                            const CancelToken& cancel)
{
    QVector<GeneratedTensor> tensors(layout.params.size());
    for (qsizetype i = 0; i < layout.params.size(); ++i) {
        const CaseParam& p = layout.params.at(i);
        if (!p.isInput())
            continue;
        const auto it = layout.source.inputs.find(p.param.name);
        const InputGen gen =
            it != layout.source.inputs.end() ? it.value() : defaultInput(p.param.dtype);
        auto made = generateInput(gen, p.param.dtype, p.count, seed, p.param.name, cancel);
        if (!made) {
            Error error = made.error();
            error.message = QStringLiteral("case \"%1\", input \"%2\": %3")
                                .arg(layout.source.id, p.param.name, error.message);
            return error;
        }
        tensors[i] = std::move(*made);
    }
    return tensors;
}

Result<QStringList> writeInputs(const CaseLayout& layout, const QVector<GeneratedTensor>& inputs,
                                const QString& dir, const QString& prefix)
{
    QStringList names;
    for (qsizetype i = 0; i < layout.params.size(); ++i) {
        names << QString();
        if (!layout.params.at(i).isInput())
            continue;
        const QString name = QStringLiteral("%1_p%2.in").arg(prefix).arg(i);
        QFile file(dir + QLatin1Char('/') + name);
        const QByteArray& bytes = inputs.at(i).bytes;
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.flush())
            return Error{ErrorCode::Environment,
                         QStringLiteral("cannot write an input: %1").arg(file.errorString()),
                         {file.fileName()},
                         QStringLiteral("check free space")};
        names.back() = name;
    }
    return names;
}

} // namespace ridgeline
