// SPDX-License-Identifier: GPL-3.0-or-later
// Private to core/exec: the fork side of runProcess. Only async-signal-safe calls happen after the
// fork, so it may be used from any thread of a program with many.
#pragma once

#include <sys/types.h>

namespace ridgeline {

struct SpawnLimits {
    long long cpuSeconds = 0;
    long long addressSpaceBytes = 0;
    long long fileBytes = 0;
    long long processes = 0;
};

struct SpawnRequest {
    const char* program = nullptr;
    char* const* argv = nullptr;
    char* const* envp = nullptr;
    const char* workDir = nullptr;
    int out = -1, err = -1, report = -1; ///< ends the child writes to; report may be -1
    int status = -1;                     ///< the supervisor writes SpawnMessage here
    int control = -1;                    ///< the supervisor reads 'T' (terminate), 'K' (kill) here;
                                         ///< end of file means kill
    SpawnLimits limits;
};

struct SpawnMessage {
    enum Kind : int { Started = 1, ExecFailed = 2, Ended = 3 };
    int kind = 0;
    int value = 0; ///< pid, errno, or wait status
    long long cpuNs = 0;
};

/// Forks the supervisor, which forks and supervises the child. Returns the supervisor's pid, or -1
/// with errno. The caller closes its copies of the child's ends.
pid_t spawnSupervised(const SpawnRequest& request);

} // namespace ridgeline
