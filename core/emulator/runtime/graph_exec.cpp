// SPDX-License-Identifier: GPL-3.0-or-later
// Instantiated graphs, user objects, and the accounts of graph memory.
#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/graph_params.h"
#include "core/emulator/runtime/pairs.h"
#include "core/emulator/runtime/pool.h"

#include <algorithm>
#include <set>

namespace ridgeline::emu {

namespace {

std::set<const GraphExec*>& execs()
{
    static auto* all = new std::set<const GraphExec*>;
    return *all;
}

constexpr unsigned long long autoFree = 1, knownFlags = 15;

int instantiate(GraphExec** result, Graph* graph, unsigned long long flags)
{
    const std::lock_guard lock(graphMutex());
    if (!result || !isGraph(graph) || (flags & ~knownFlags))
        return abi::InvalidValue;
    std::vector<GraphNode*> order;
    if (!topologicalOrder(*graph->body, order))
        return abi::InvalidValue;
    auto* exec = new GraphExec;
    exec->body = cloneBody(*graph->body, nullptr);
    exec->flags = flags;
    execs().insert(exec);
    *result = exec;
    return abi::Success;
}

int launchGraph(GraphExec* exec, Stream* stream, DefaultStream which)
{
    std::shared_ptr<GraphBody> body;
    {
        const std::lock_guard lock(graphMutex());
        if (!execs().count(exec))
            return abi::InvalidValue;
        body = exec->body;
        for (const auto& node : body->nodes) {
            const auto* alloc = std::get_if<AllocWork>(&node->work);
            if (!alloc || !alloc->memory->live)
                continue;
            if (!(exec->flags & autoFree))
                return abi::InvalidValue; // its memory of the last launch is still in use
            alloc->memory->live = false;
        }
    }
    return submit(stream, which, ChildWork{std::move(body)});
}

template <typename Body>
int withExec(const char* name, GraphExec* exec, Body body)
{
    return apiCall(name, [&]() -> int {
        const std::lock_guard lock(graphMutex());
        return execs().count(exec) ? body(*exec) : int(abi::InvalidValue);
    });
}

/// The twin of `node` in the executable.
GraphNode* twinOf(const GraphExec& exec, const GraphNode* node)
{
    for (const auto& own : exec.body->nodes) {
        if (own->original == node)
            return own.get();
    }
    return nullptr;
}

template <typename Kind, typename Make>
int setExecWork(const char* name, GraphExec* exec, GraphNode* node, Make make)
{
    return withExec(name, exec, [&](GraphExec& found) -> int {
        GraphNode* own = twinOf(found, node);
        if (!own || !std::holds_alternative<Kind>(own->work))
            return abi::InvalidValue;
        Work work;
        if (const int error = make(work))
            return error;
        own->work = std::move(work);
        return abi::Success;
    });
}

/// Results of an update, as cudaGraphExecUpdateResult numbers them.
enum Update { Done = 0, TopologyChanged = 2, TypeChanged = 3, ParametersChanged = 5 };

Update compare(const GraphBody& old, const GraphBody& fresh, GraphNode*& culprit)
{
    culprit = nullptr;
    if (old.nodes.size() != fresh.nodes.size())
        return TopologyChanged;
    const auto index = [](const GraphBody& body, const GraphNode* node) {
        return std::find_if(body.nodes.begin(), body.nodes.end(),
                            [&](const auto& each) { return each.get() == node; }) -
               body.nodes.begin();
    };
    for (std::size_t i = 0; i < old.nodes.size(); ++i) {
        const GraphNode &was = *old.nodes[i], &is = *fresh.nodes[i];
        culprit = fresh.nodes[i].get();
        if (was.work.index() != is.work.index())
            return TypeChanged;
        if (std::holds_alternative<AllocWork>(is.work) || std::holds_alternative<FreeWork>(is.work))
            return ParametersChanged;
        if (was.dependencies.size() != is.dependencies.size())
            return TopologyChanged;
        for (std::size_t d = 0; d < is.dependencies.size(); ++d) {
            if (index(old, was.dependencies[d]) != index(fresh, is.dependencies[d]))
                return TopologyChanged;
        }
    }
    culprit = nullptr;
    return Done;
}

} // namespace

RIDGELINE_CUDA_API int cudaGraphInstantiate(GraphExec** result, Graph* graph,
                                            unsigned long long flags)
{
    return apiCall("cudaGraphInstantiate", [&] { return instantiate(result, graph, flags); });
}

RIDGELINE_CUDA_API int cudaGraphInstantiateWithFlags(GraphExec** result, Graph* graph,
                                                     unsigned long long flags)
{
    return apiCall("cudaGraphInstantiateWithFlags",
                   [&] { return instantiate(result, graph, flags); });
}

RIDGELINE_ASYNC_PAIR(cudaGraphInstantiateWithParams,
                     (GraphExec * *result, Graph* graph, abi::GraphInstantiateParams* params),
                     !params ? int(abi::InvalidValue)
                             : (params->errorNode = nullptr,
                                params->result = instantiate(result, graph, params->flags) ? 1 : 0,
                                params->result ? int(abi::InvalidValue) : int(abi::Success)))
RIDGELINE_ASYNC_PAIR(cudaGraphLaunch, (GraphExec * exec, Stream* stream),
                     launchGraph(exec, stream, which))
RIDGELINE_ASYNC_PAIR(cudaGraphUpload, (GraphExec * exec, Stream* stream),
                     exec&& findStream(stream, which) ? abi::Success : abi::InvalidValue)

RIDGELINE_CUDA_API int cudaGraphExecDestroy(GraphExec* exec)
{
    return withExec("cudaGraphExecDestroy", exec, [](GraphExec& found) -> int {
        execs().erase(&found);
        delete &found;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGraphExecGetFlags(GraphExec* exec, unsigned long long* flags)
{
    return withExec("cudaGraphExecGetFlags", exec, [&](GraphExec& found) -> int {
        return flags ? (*flags = found.flags, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphExecUpdate(GraphExec* exec, Graph* graph,
                                           abi::GraphUpdateResult* result)
{
    return withExec("cudaGraphExecUpdate", exec, [&](GraphExec& found) -> int {
        if (!isGraph(graph))
            return abi::InvalidValue;
        GraphNode* culprit = nullptr;
        const Update outcome = compare(*found.body, *graph->body, culprit);
        if (result)
            *result = {int(outcome), culprit, nullptr};
        if (outcome != Done)
            return abi::GraphExecUpdateFailure;
        // The nodes of the graph it was made from stay the names by which later calls mean ours.
        const std::shared_ptr<GraphBody> fresh = cloneBody(*graph->body, nullptr);
        for (std::size_t i = 0; i < fresh->nodes.size(); ++i) {
            fresh->nodes[i]->original = found.body->nodes[i]->original;
            fresh->nodes[i]->enabled = found.body->nodes[i]->enabled;
        }
        found.body = fresh;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGraphNodeSetEnabled(GraphExec* exec, GraphNode* node, unsigned enabled)
{
    return withExec("cudaGraphNodeSetEnabled", exec, [&](GraphExec& found) -> int {
        GraphNode* own = twinOf(found, node);
        if (!own || nodeType(*own) > 2) // kernels, copies and fills only
            return abi::InvalidValue;
        own->enabled = enabled != 0;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGraphNodeGetEnabled(GraphExec* exec, GraphNode* node, unsigned* enabled)
{
    return withExec("cudaGraphNodeGetEnabled", exec, [&](GraphExec& found) -> int {
        const GraphNode* own = twinOf(found, node);
        return own && enabled ? (*enabled = own->enabled, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphExecKernelNodeSetParams(GraphExec* exec, GraphNode* node,
                                                        const abi::KernelNodeParams* params)
{
    return setExecWork<KernelWork>("cudaGraphExecKernelNodeSetParams", exec, node,
                                   [&](Work& work) { return workFromKernel(params, work); });
}

RIDGELINE_CUDA_API int cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, GraphNode* node,
                                                        const abi::Copy3D* params)
{
    return setExecWork<CopyWork>("cudaGraphExecMemcpyNodeSetParams", exec, node,
                                 [&](Work& work) { return workFromCopy(params, work); });
}

RIDGELINE_CUDA_API int cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, GraphNode* node,
                                                          void* dst, const void* src,
                                                          std::size_t bytes, int kind)
{
    return setExecWork<CopyWork>("cudaGraphExecMemcpyNodeSetParams1D", exec, node, [&](Work& work) {
        return workFromLinearCopy(dst, src, bytes, kind, work);
    });
}

RIDGELINE_CUDA_API int cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec* exec, GraphNode* node,
                                                                const void* symbol, void* src,
                                                                std::size_t bytes,
                                                                std::size_t offset, int kind)
{
    return setExecWork<CopyWork>(
        "cudaGraphExecMemcpyNodeSetParamsToSymbol", exec, node, [&](Work& work) {
            return workFromSymbolCopy(symbol, src, bytes, offset, kind, true, work);
        });
}

RIDGELINE_CUDA_API int cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec* exec, GraphNode* node,
                                                                  void* dst, const void* symbol,
                                                                  std::size_t bytes,
                                                                  std::size_t offset, int kind)
{
    return setExecWork<CopyWork>(
        "cudaGraphExecMemcpyNodeSetParamsFromSymbol", exec, node, [&](Work& work) {
            return workFromSymbolCopy(symbol, dst, bytes, offset, kind, false, work);
        });
}

RIDGELINE_CUDA_API int cudaGraphExecMemsetNodeSetParams(GraphExec* exec, GraphNode* node,
                                                        const abi::MemsetParams* params)
{
    return setExecWork<MemsetWork>("cudaGraphExecMemsetNodeSetParams", exec, node,
                                   [&](Work& work) { return workFromMemset(params, work); });
}

RIDGELINE_CUDA_API int cudaGraphExecHostNodeSetParams(GraphExec* exec, GraphNode* node,
                                                      const abi::HostNodeParams* params)
{
    return setExecWork<HostWork>("cudaGraphExecHostNodeSetParams", exec, node,
                                 [&](Work& work) { return workFromHost(params, work); });
}

RIDGELINE_CUDA_API int cudaGraphExecChildGraphNodeSetParams(GraphExec* exec, GraphNode* node,
                                                            Graph* child)
{
    return setExecWork<ChildWork>("cudaGraphExecChildGraphNodeSetParams", exec, node,
                                  [&](Work& work) { return workFromChild(child, work); });
}

RIDGELINE_CUDA_API int cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, GraphNode* node,
                                                            Event* event)
{
    return setExecWork<EventRecordWork>(
        "cudaGraphExecEventRecordNodeSetEvent", exec, node,
        [&](Work& work) { return workFromEvent(event, true, work); });
}

RIDGELINE_CUDA_API int cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, GraphNode* node,
                                                          Event* event)
{
    return setExecWork<EventWaitWork>(
        "cudaGraphExecEventWaitNodeSetEvent", exec, node,
        [&](Work& work) { return workFromEvent(event, false, work); });
}

RIDGELINE_CUDA_API int cudaGraphExecNodeSetParams(GraphExec* exec, GraphNode* node,
                                                  abi::GraphNodeParams* params)
{
    return withExec("cudaGraphExecNodeSetParams", exec, [&](GraphExec& found) -> int {
        GraphNode* own = twinOf(found, node);
        if (!own || !params || params->type != nodeType(*own))
            return abi::InvalidValue;
        return workFromAny(params, own->work);
    });
}

RIDGELINE_CUDA_API int cudaUserObjectCreate(UserObject** result, void* pointer,
                                            abi::HostFunction destroy, unsigned references,
                                            unsigned flags)
{
    return apiCall("cudaUserObjectCreate", [&]() -> int {
        if (!result || !destroy || references == 0 || flags != 1)
            return abi::InvalidValue;
        auto* object = new UserObject;
        object->references = references;
        object->destroy = destroy;
        object->pointer = pointer;
        *result = object;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaUserObjectRetain(UserObject* object, unsigned count)
{
    return apiCall("cudaUserObjectRetain", [&]() -> int {
        if (!object || count == 0)
            return abi::InvalidValue;
        object->references += count;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaUserObjectRelease(UserObject* object, unsigned count)
{
    return apiCall("cudaUserObjectRelease", [&]() -> int {
        if (!object || count == 0 || count > object->references)
            return abi::InvalidValue;
        object->release(count);
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count,
                                                 unsigned flags)
{
    return apiCall("cudaGraphRetainUserObject", [&]() -> int {
        const std::lock_guard lock(graphMutex());
        if (!isGraph(graph) || !object || count == 0 || flags > 1)
            return abi::InvalidValue;
        graph->body->userObjects.insert(graph->body->userObjects.end(), count, object);
        if (flags == 0) // 1 moves the caller's references
            object->references += count;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count)
{
    return apiCall("cudaGraphReleaseUserObject", [&]() -> int {
        const std::lock_guard lock(graphMutex());
        if (!isGraph(graph))
            return abi::InvalidValue;
        auto& held = graph->body->userObjects;
        if (std::size_t(std::count(held.begin(), held.end(), object)) < count)
            return abi::InvalidValue;
        for (unsigned i = 0; i < count; ++i)
            held.erase(std::find(held.begin(), held.end(), object));
        object->release(count);
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaDeviceGraphMemTrim(int device)
{
    return apiCall("cudaDeviceGraphMemTrim",
                   [&]() -> int { return device == 0 ? abi::Success : abi::InvalidDevice; });
}

RIDGELINE_CUDA_API int cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value)
{
    return apiCall("cudaDeviceGetGraphMemAttribute", [&]() -> int {
        if (device != 0)
            return abi::InvalidDevice;
        if (!value || attribute < 0 || attribute > 3)
            return abi::InvalidValue;
        std::size_t used = 0, reserved = 0;
        graphMemoryUse(used, reserved);
        *static_cast<std::uint64_t*>(value) = attribute < 2 ? used : reserved;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value)
{
    return apiCall("cudaDeviceSetGraphMemAttribute", [&]() -> int {
        if (device != 0)
            return abi::InvalidDevice;
        return value && (attribute == 1 || attribute == 3) ? abi::Success : abi::InvalidValue;
    });
}

} // namespace ridgeline::emu
