// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>

namespace ridgeline {

/// A flag shared by the side that may stop work and the side that does it. Copies share the flag.
/// Both calls are thread-safe; once set it stays set.
class CancelToken {
public:
    void cancel() { m_flag->store(true, std::memory_order_relaxed); }
    bool isCancelled() const { return m_flag->load(std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<bool>> m_flag = std::make_shared<std::atomic<bool>>(false);
};

} // namespace ridgeline
