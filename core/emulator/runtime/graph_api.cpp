// SPDX-License-Identifier: GPL-3.0-or-later
// Building graphs by hand: graphs, nodes, edges.
#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/graph_params.h"
#include "core/emulator/runtime/launch.h"

#include <algorithm>
#include <fstream>

namespace ridgeline::emu {

namespace {

/// Adds a node made by `make(work)`.
template <typename Make>
int add(const char* name, GraphNode** result, Graph* graph, GraphNode* const* dependencies,
        std::size_t count, Make make)
{
    return apiCall(name, [&]() -> int {
        if (!result || !isGraph(graph))
            return abi::InvalidValue;
        Work work;
        if (const int error = make(work))
            return error;
        int error = abi::Success;
        *result = addNode(graph, dependencies, count, std::move(work), error);
        return error;
    });
}

template <typename Body>
int withGraph(const char* name, Graph* graph, Body body)
{
    return apiCall(name, [&]() -> int {
        const std::lock_guard lock(graphMutex());
        return isGraph(graph) ? body(*graph) : int(abi::InvalidValue);
    });
}

template <typename Body>
int withNode(const char* name, GraphNode* node, Body body)
{
    return apiCall(name, [&]() -> int {
        const std::lock_guard lock(graphMutex());
        return isGraphNode(node) ? body(*node) : int(abi::InvalidValue);
    });
}

/// The work of a node that must be of one kind.
template <typename Kind, typename Body>
int withWork(const char* name, GraphNode* node, Body body)
{
    return withNode(name, node, [&](GraphNode& found) -> int {
        auto* work = std::get_if<Kind>(&found.work);
        return work ? body(*work) : int(abi::InvalidValue);
    });
}

/// Replaces the work of a node that must be of one kind.
template <typename Kind, typename Make>
int setWork(const char* name, GraphNode* node, Make make)
{
    return withNode(name, node, [&](GraphNode& found) -> int {
        if (!std::holds_alternative<Kind>(found.work))
            return abi::InvalidValue;
        Work work;
        if (const int error = make(work))
            return error;
        found.work = std::move(work);
        return abi::Success;
    });
}

/// The list protocol: without an array only the count; with one, what fits, and nulls behind it.
int giveNodes(const std::vector<GraphNode*>& found, GraphNode** out, std::size_t* count)
{
    if (!count)
        return abi::InvalidValue;
    if (out) {
        for (std::size_t i = 0; i < *count; ++i)
            out[i] = i < found.size() ? found[i] : nullptr;
        *count = std::min(*count, found.size());
    } else {
        *count = found.size();
    }
    return abi::Success;
}

int changeEdges(Graph& graph, GraphNode* const* from, GraphNode* const* to, std::size_t count,
                bool adding)
{
    if (count && (!from || !to))
        return abi::InvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
        if (!isGraphNode(from[i]) || !isGraphNode(to[i]) || from[i]->graph != &graph ||
            to[i]->graph != &graph || from[i] == to[i])
            return abi::InvalidValue;
        const auto& known = to[i]->dependencies;
        const bool there = std::find(known.begin(), known.end(), from[i]) != known.end();
        if (there == adding)
            return abi::InvalidValue;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (adding)
            to[i]->dependencies.push_back(from[i]);
        else
            std::erase(to[i]->dependencies, from[i]);
    }
    std::vector<GraphNode*> order;
    if (adding && !topologicalOrder(*graph.body, order)) {
        for (std::size_t i = 0; i < count; ++i)
            std::erase(to[i]->dependencies, from[i]);
        return abi::InvalidValue;
    }
    return abi::Success;
}

} // namespace

RIDGELINE_CUDA_API int cudaGraphCreate(Graph** result, unsigned flags)
{
    return apiCall("cudaGraphCreate", [&]() -> int {
        return result && flags == 0 ? (*result = newGraph(), abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphDestroy(Graph* graph)
{
    return withGraph("cudaGraphDestroy", graph, [](Graph& found) -> int {
        deleteGraph(&found);
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGraphClone(Graph** result, Graph* graph)
{
    return withGraph("cudaGraphClone", graph, [&](Graph& found) -> int {
        if (!result)
            return abi::InvalidValue;
        Graph* clone = newGraph();
        clone->body = cloneBody(*found.body, clone);
        *result = clone;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGraphNodeFindInClone(GraphNode** result, GraphNode* original,
                                                Graph* clone)
{
    return withGraph("cudaGraphNodeFindInClone", clone, [&](Graph& found) -> int {
        for (const auto& node : found.body->nodes) {
            if (result && node->original == original) {
                *result = node.get();
                return abi::Success;
            }
        }
        return abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count)
{
    return withGraph("cudaGraphGetNodes", graph, [&](Graph& found) {
        std::vector<GraphNode*> all;
        for (const auto& node : found.body->nodes)
            all.push_back(node.get());
        return giveNodes(all, nodes, count);
    });
}

RIDGELINE_CUDA_API int cudaGraphGetRootNodes(Graph* graph, GraphNode** nodes, std::size_t* count)
{
    return withGraph("cudaGraphGetRootNodes", graph, [&](Graph& found) {
        std::vector<GraphNode*> roots;
        for (const auto& node : found.body->nodes) {
            if (node->dependencies.empty())
                roots.push_back(node.get());
        }
        return giveNodes(roots, nodes, count);
    });
}

RIDGELINE_CUDA_API int cudaGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to,
                                         abi::EdgeData* data, std::size_t* count)
{
    return withGraph("cudaGraphGetEdges", graph, [&](Graph& found) -> int {
        std::vector<GraphNode*> starts, ends;
        for (const auto& node : found.body->nodes) {
            for (GraphNode* dependency : node->dependencies) {
                starts.push_back(dependency);
                ends.push_back(node.get());
            }
        }
        if (!count || (!from != !to))
            return abi::InvalidValue;
        if (data)
            std::fill_n(data, from ? std::min(*count, ends.size()) : 0, abi::EdgeData{});
        std::size_t second = *count;
        giveNodes(starts, from, count);
        return giveNodes(ends, to, &second);
    });
}

RIDGELINE_CUDA_API int cudaGraphNodeGetDependencies(GraphNode* node, GraphNode** nodes,
                                                    abi::EdgeData* data, std::size_t* count)
{
    return withNode("cudaGraphNodeGetDependencies", node, [&](GraphNode& found) {
        if (data && nodes && count)
            std::fill_n(data, std::min(*count, found.dependencies.size()), abi::EdgeData{});
        return giveNodes(found.dependencies, nodes, count);
    });
}

RIDGELINE_CUDA_API int cudaGraphNodeGetDependentNodes(GraphNode* node, GraphNode** nodes,
                                                      abi::EdgeData* data, std::size_t* count)
{
    return withNode("cudaGraphNodeGetDependentNodes", node, [&](GraphNode& found) -> int {
        if (!found.graph)
            return abi::InvalidValue;
        std::vector<GraphNode*> dependents;
        for (const auto& other : found.graph->body->nodes) {
            const auto& known = other->dependencies;
            if (std::find(known.begin(), known.end(), node) != known.end())
                dependents.push_back(other.get());
        }
        if (data && nodes && count)
            std::fill_n(data, std::min(*count, dependents.size()), abi::EdgeData{});
        return giveNodes(dependents, nodes, count);
    });
}

RIDGELINE_CUDA_API int cudaGraphAddDependencies(Graph* graph, GraphNode* const* from,
                                                GraphNode* const* to, const abi::EdgeData*,
                                                std::size_t count)
{
    return withGraph("cudaGraphAddDependencies", graph,
                     [&](Graph& found) { return changeEdges(found, from, to, count, true); });
}

RIDGELINE_CUDA_API int cudaGraphRemoveDependencies(Graph* graph, GraphNode* const* from,
                                                   GraphNode* const* to, const abi::EdgeData*,
                                                   std::size_t count)
{
    return withGraph("cudaGraphRemoveDependencies", graph,
                     [&](Graph& found) { return changeEdges(found, from, to, count, false); });
}

RIDGELINE_CUDA_API int cudaGraphDestroyNode(GraphNode* node)
{
    return withNode("cudaGraphDestroyNode", node, [](GraphNode& found) -> int {
        if (!found.graph)
            return abi::InvalidValue;
        removeNode(&found);
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGraphNodeGetType(GraphNode* node, int* type)
{
    return withNode("cudaGraphNodeGetType", node, [&](GraphNode& found) -> int {
        return type ? (*type = nodeType(found), abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphDebugDotPrint(Graph* graph, const char* path, unsigned)
{
    return withGraph("cudaGraphDebugDotPrint", graph, [&](Graph& found) -> int {
        static const char* const names[] = {"kernel", "memcpy",         "memset", "host",
                                            "graph",  "empty",          "wait",   "record",
                                            "signal", "wait semaphore", "alloc",  "free"};
        if (!path)
            return abi::InvalidValue;
        std::ofstream out(path);
        out << "digraph dot {\n";
        for (const auto& node : found.body->nodes) {
            const auto* kernel = std::get_if<KernelWork>(&node->work);
            out << "  n" << node.get() << " [label=\""
                << (kernel ? kernel->function->name : names[nodeType(*node)]) << "\"];\n";
            for (const GraphNode* dependency : node->dependencies)
                out << "  n" << dependency << " -> n" << node.get() << ";\n";
        }
        out << "}\n";
        return out.flush() ? abi::Success : abi::UnknownError;
    });
}

#define RIDGELINE_ADD(name, parameters, make)                                                      \
    RIDGELINE_CUDA_API int name parameters                                                         \
    {                                                                                              \
        return add(#name, result, graph, dependencies, count,                                      \
                   [&]([[maybe_unused]] Work& work) -> int { return make; });                      \
    }

RIDGELINE_ADD(cudaGraphAddKernelNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               const abi::KernelNodeParams* params),
              workFromKernel(params, work))
RIDGELINE_ADD(cudaGraphAddMemcpyNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               const abi::Copy3D* params),
              workFromCopy(params, work))
RIDGELINE_ADD(cudaGraphAddMemcpyNode1D,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               void* dst, const void* src, std::size_t bytes, int kind),
              workFromLinearCopy(dst, src, bytes, kind, work))
RIDGELINE_ADD(cudaGraphAddMemcpyNodeToSymbol,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               const void* symbol, void* src, std::size_t bytes, std::size_t offset, int kind),
              workFromSymbolCopy(symbol, src, bytes, offset, kind, true, work))
RIDGELINE_ADD(cudaGraphAddMemcpyNodeFromSymbol,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               void* dst, const void* symbol, std::size_t bytes, std::size_t offset, int kind),
              workFromSymbolCopy(symbol, dst, bytes, offset, kind, false, work))
RIDGELINE_ADD(cudaGraphAddMemsetNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               const abi::MemsetParams* params),
              workFromMemset(params, work))
RIDGELINE_ADD(cudaGraphAddHostNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               const abi::HostNodeParams* params),
              workFromHost(params, work))
RIDGELINE_ADD(cudaGraphAddChildGraphNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               Graph* child),
              workFromChild(child, work))
RIDGELINE_ADD(cudaGraphAddEmptyNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies,
               std::size_t count),
              int(abi::Success))
RIDGELINE_ADD(cudaGraphAddEventRecordNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               Event* event),
              workFromEvent(event, true, work))
RIDGELINE_ADD(cudaGraphAddEventWaitNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               Event* event),
              workFromEvent(event, false, work))
RIDGELINE_ADD(cudaGraphAddMemAllocNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               abi::MemAllocNodeParams* params),
              workFromAlloc(params, work))
RIDGELINE_ADD(cudaGraphAddMemFreeNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies, std::size_t count,
               void* pointer),
              workFromFree(pointer, work))
RIDGELINE_ADD(cudaGraphAddNode,
              (GraphNode * *result, Graph* graph, GraphNode* const* dependencies,
               const abi::EdgeData*, std::size_t count, abi::GraphNodeParams* params),
              workFromAny(params, work))

RIDGELINE_CUDA_API int cudaGraphKernelNodeGetParams(GraphNode* node, abi::KernelNodeParams* params)
{
    return withWork<KernelWork>("cudaGraphKernelNodeGetParams", node, [&](KernelWork& work) -> int {
        return params ? (kernelParams(work, *params), abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphMemcpyNodeGetParams(GraphNode* node, abi::Copy3D* params)
{
    return withWork<CopyWork>("cudaGraphMemcpyNodeGetParams", node, [&](CopyWork& work) -> int {
        return params ? (*params = work.copy, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphMemsetNodeGetParams(GraphNode* node, abi::MemsetParams* params)
{
    return withWork<MemsetWork>("cudaGraphMemsetNodeGetParams", node, [&](MemsetWork& work) -> int {
        return params ? (*params = work.params, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphHostNodeGetParams(GraphNode* node, abi::HostNodeParams* params)
{
    return withWork<HostWork>("cudaGraphHostNodeGetParams", node, [&](HostWork& work) -> int {
        return params ? (*params = {work.function, work.userData}, abi::Success)
                      : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphMemAllocNodeGetParams(GraphNode* node,
                                                      abi::MemAllocNodeParams* params)
{
    return withWork<AllocWork>("cudaGraphMemAllocNodeGetParams", node, [&](AllocWork& work) -> int {
        return params ? (*params = work.params, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphMemFreeNodeGetParams(GraphNode* node, void** pointer)
{
    return withWork<FreeWork>("cudaGraphMemFreeNodeGetParams", node, [&](FreeWork& work) -> int {
        return pointer ? (*pointer = work.pointer, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphEventRecordNodeGetEvent(GraphNode* node, Event** event)
{
    return withWork<EventRecordWork>(
        "cudaGraphEventRecordNodeGetEvent", node, [&](EventRecordWork& work) -> int {
            return event ? (*event = work.event, abi::Success) : abi::InvalidValue;
        });
}

RIDGELINE_CUDA_API int cudaGraphEventWaitNodeGetEvent(GraphNode* node, Event** event)
{
    return withWork<EventWaitWork>(
        "cudaGraphEventWaitNodeGetEvent", node, [&](EventWaitWork& work) -> int {
            return event ? (*event = work.event, abi::Success) : abi::InvalidValue;
        });
}

RIDGELINE_CUDA_API int cudaGraphChildGraphNodeGetGraph(GraphNode* node, Graph** graph)
{
    return withNode("cudaGraphChildGraphNodeGetGraph", node, [&](GraphNode& found) -> int {
        Graph* child = graph ? childGraph(found) : nullptr;
        return child ? (*graph = child, abi::Success) : abi::InvalidValue;
    });
}

RIDGELINE_CUDA_API int cudaGraphKernelNodeSetParams(GraphNode* node,
                                                    const abi::KernelNodeParams* params)
{
    return setWork<KernelWork>("cudaGraphKernelNodeSetParams", node,
                               [&](Work& work) { return workFromKernel(params, work); });
}

RIDGELINE_CUDA_API int cudaGraphMemcpyNodeSetParams(GraphNode* node, const abi::Copy3D* params)
{
    return setWork<CopyWork>("cudaGraphMemcpyNodeSetParams", node,
                             [&](Work& work) { return workFromCopy(params, work); });
}

RIDGELINE_CUDA_API int cudaGraphMemcpyNodeSetParams1D(GraphNode* node, void* dst, const void* src,
                                                      std::size_t bytes, int kind)
{
    return setWork<CopyWork>("cudaGraphMemcpyNodeSetParams1D", node, [&](Work& work) {
        return workFromLinearCopy(dst, src, bytes, kind, work);
    });
}

RIDGELINE_CUDA_API int cudaGraphMemcpyNodeSetParamsToSymbol(GraphNode* node, const void* symbol,
                                                            void* src, std::size_t bytes,
                                                            std::size_t offset, int kind)
{
    return setWork<CopyWork>("cudaGraphMemcpyNodeSetParamsToSymbol", node, [&](Work& work) {
        return workFromSymbolCopy(symbol, src, bytes, offset, kind, true, work);
    });
}

RIDGELINE_CUDA_API int cudaGraphMemcpyNodeSetParamsFromSymbol(GraphNode* node, void* dst,
                                                              const void* symbol, std::size_t bytes,
                                                              std::size_t offset, int kind)
{
    return setWork<CopyWork>("cudaGraphMemcpyNodeSetParamsFromSymbol", node, [&](Work& work) {
        return workFromSymbolCopy(symbol, dst, bytes, offset, kind, false, work);
    });
}

RIDGELINE_CUDA_API int cudaGraphMemsetNodeSetParams(GraphNode* node,
                                                    const abi::MemsetParams* params)
{
    return setWork<MemsetWork>("cudaGraphMemsetNodeSetParams", node,
                               [&](Work& work) { return workFromMemset(params, work); });
}

RIDGELINE_CUDA_API int cudaGraphHostNodeSetParams(GraphNode* node,
                                                  const abi::HostNodeParams* params)
{
    return setWork<HostWork>("cudaGraphHostNodeSetParams", node,
                             [&](Work& work) { return workFromHost(params, work); });
}

RIDGELINE_CUDA_API int cudaGraphEventRecordNodeSetEvent(GraphNode* node, Event* event)
{
    return setWork<EventRecordWork>("cudaGraphEventRecordNodeSetEvent", node,
                                    [&](Work& work) { return workFromEvent(event, true, work); });
}

RIDGELINE_CUDA_API int cudaGraphEventWaitNodeSetEvent(GraphNode* node, Event* event)
{
    return setWork<EventWaitWork>("cudaGraphEventWaitNodeSetEvent", node,
                                  [&](Work& work) { return workFromEvent(event, false, work); });
}

RIDGELINE_CUDA_API int cudaGraphNodeSetParams(GraphNode* node, abi::GraphNodeParams* params)
{
    return withNode("cudaGraphNodeSetParams", node, [&](GraphNode& found) -> int {
        if (!params || params->type != nodeType(found))
            return abi::InvalidValue;
        return workFromAny(params, found.work);
    });
}

RIDGELINE_CUDA_API int cudaGraphKernelNodeGetAttribute(GraphNode* node, int id,
                                                       abi::LaunchAttributeValue* value)
{
    return withNode("cudaGraphKernelNodeGetAttribute", node, [&](GraphNode& found) -> int {
        const auto* kernel = std::get_if<KernelWork>(&found.work);
        if (!kernel || !value)
            return abi::InvalidValue;
        const auto known = found.attributes.find(id);
        *value = known == found.attributes.end() ? abi::LaunchAttributeValue{} : known->second;
        if (id == abi::CooperativeAttribute)
            value->cooperative = kernel->cooperative;
        return abi::Success;
    });
}

RIDGELINE_CUDA_API int cudaGraphKernelNodeSetAttribute(GraphNode* node, int id,
                                                       const abi::LaunchAttributeValue* value)
{
    return withNode("cudaGraphKernelNodeSetAttribute", node, [&](GraphNode& found) -> int {
        auto* kernel = std::get_if<KernelWork>(&found.work);
        if (!kernel || !value)
            return abi::InvalidValue;
        found.attributes[id] = *value;
        const abi::LaunchAttribute attribute{id, 0, *value};
        return applyAttributes(&attribute, 1, *kernel);
    });
}

RIDGELINE_CUDA_API int cudaGraphKernelNodeCopyAttributes(GraphNode* to, GraphNode* from)
{
    return withNode("cudaGraphKernelNodeCopyAttributes", to, [&](GraphNode& found) -> int {
        if (!isGraphNode(from))
            return abi::InvalidValue;
        found.attributes = from->attributes;
        return abi::Success;
    });
}

} // namespace ridgeline::emu
