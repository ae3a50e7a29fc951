// SPDX-License-Identifier: GPL-3.0-or-later
// Private to core/pass: one case of the benchmark, with several input sets and their answers.
#pragma once

#include "core/pass/run_state.h"

namespace ridgeline {

/// What the timed calls of one candidate gave, over all blocks.
struct BenchSeries {
    QVector<double> eventNs, fullNs, hostNs; ///< one per repetition, in order
    int verified = 0;                        ///< repetitions whose output was compared and is right
    int wrong = 0;
    int firstWrongRep = -1;
    QString firstWrong; ///< one line about it
    bool stale = false; ///< a wrong output is right for another input set
    QString failure;    ///< why the repetitions did not finish
    bool hung = false;
    QVector<CountedKernel> counted; ///< of the first timed call
};

class BenchCase {
public:
    BenchCase(PassContext& context, const BundleCase& source) : c(context), m_source(source) {}

    /// Makes input sets, writes them and gets the reference's answers.
    Result<void> prepare();
    /// Runs one block in a process of its own and adds to `series`. Errors are the machine's or a
    /// cancellation; what the candidate does wrong is in `series` and in the findings.
    Result<void> run(const QString& program, int warmup, int reps, BenchSeries& series, bool count);

private:
    struct Check {
        bool ok = false;
        bool stale = false;
        QString message;
    };
    Result<Check> check(int rep, int set);
    Result<void> judge(const HarnessOutcome& outcome, BenchSeries& series);

    PassContext& c;
    const BundleCase& m_source;
    CaseLayout m_layout;
    ScratchDir m_scratch;
    QVector<QStringList> m_files;
    QVector<ReferenceOutputs> m_answers;
};

} // namespace ridgeline
