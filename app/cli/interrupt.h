// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C and SIGTERM as a cancel token, so that children are reaped before the tool ends.
#pragma once

#include "core/support/cancel.h"

#include <csignal>
#include <thread>

namespace ridgeline {

/// While one exists, SIGINT and SIGTERM cancel its token; a second one ends the process at once.
/// One at a time, made before other threads start.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    const CancelToken& token() const { return m_token; }

private:
    CancelToken m_token;
    std::thread m_waiter;
    sigset_t m_before;
    std::atomic<bool> m_over{false};
};

} // namespace ridgeline
