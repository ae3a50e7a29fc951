// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <ctime>

#include <unistd.h>

namespace ridgeline {

Interrupt::Interrupt()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    // Blocked here and in every thread made later; one thread waits for them instead of a handler,
    // which could do almost nothing.
    pthread_sigmask(SIG_BLOCK, &set, &m_before);
    m_waiter = std::thread([this, set] {
        while (!m_over) {
            const timespec wait{0, 50 * 1000 * 1000};
            if (sigtimedwait(&set, nullptr, &wait) < 0)
                continue;
            if (m_token.isCancelled())
                ::_exit(130);
            m_token.cancel();
        }
    });
}

Interrupt::~Interrupt()
{
    m_over = true;
    m_waiter.join();
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

} // namespace ridgeline
