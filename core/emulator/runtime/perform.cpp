// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/graph.h"
#include "core/emulator/runtime/pool.h"

namespace ridgeline::emu {

namespace {

struct Performer {
    int operator()(const EmptyWork&) const { return abi::Success; }
    int operator()(const KernelWork& work) const { return performKernel(work); }
    int operator()(const CopyWork& work) const { return performCopy(work); }
    int operator()(const MemsetWork& work) const { return performMemset(work); }
    int operator()(const HostWork& work) const
    {
        work.function(work.userData);
        return abi::Success;
    }
    int operator()(const EventRecordWork& work) const
    {
        if (!isEvent(work.event))
            return abi::InvalidResourceHandle;
        work.event->time = std::chrono::steady_clock::now();
        work.event->recorded = true;
        work.event->capture.reset();
        work.event->captureNodes.clear();
        return abi::Success;
    }
    int operator()(const EventWaitWork&) const { return abi::Success; }
    int operator()(const ChildWork& work) const { return performBody(*work.body); }
    int operator()(const AllocWork& work) const
    {
        work.memory->live = true;
        return abi::Success;
    }
    int operator()(const FreeWork& work) const { return poolFree(work.pointer); }
};

} // namespace

int perform(const Work& work)
{
    // Nothing runs on a device that a fault has killed.
    return Device::instance().faulted() ? int(abi::Success) : std::visit(Performer{}, work);
}

} // namespace ridgeline::emu
