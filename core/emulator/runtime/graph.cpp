// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/graph.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace ridgeline::emu {

namespace {

std::recursive_mutex& graphMutex()
{
    static auto* mutex = new std::recursive_mutex;
    return *mutex;
}

std::set<const Graph*>& graphs()
{
    static auto* all = new std::set<const Graph*>;
    return *all;
}

std::set<const GraphNode*>& liveNodes()
{
    static auto* all = new std::set<const GraphNode*>;
    return *all;
}

} // namespace

bool isGraph(const Graph* graph)
{
    const std::lock_guard lock(graphMutex());
    return graphs().count(graph) != 0;
}

bool isGraphNode(const GraphNode* node)
{
    const std::lock_guard lock(graphMutex());
    return liveNodes().count(node) != 0;
}

Graph* newGraph()
{
    auto* graph = new Graph;
    const std::lock_guard lock(graphMutex());
    graphs().insert(graph);
    return graph;
}

void forgetNodes(const GraphBody& body)
{
    const std::lock_guard lock(graphMutex());
    for (const auto& node : body.nodes) {
        liveNodes().erase(node.get());
        if (const auto* child = std::get_if<ChildWork>(&node->work))
            forgetNodes(*child->body);
    }
}

void adoptNodes(const GraphBody& body)
{
    const std::lock_guard lock(graphMutex());
    for (const auto& node : body.nodes) {
        liveNodes().insert(node.get());
        if (const auto* child = std::get_if<ChildWork>(&node->work))
            adoptNodes(*child->body);
    }
}

void adoptGraph(Graph* graph)
{
    const std::lock_guard lock(graphMutex());
    graphs().insert(graph);
}

void deleteGraph(Graph* graph)
{
    const std::lock_guard lock(graphMutex());
    if (!graphs().erase(graph))
        return;
    for (const auto& child : graph->childHandles)
        graphs().erase(child.get());
    forgetNodes(*graph->body);
    for (const auto& [destroy, pointer] : graph->body->userObjects)
        destroy(pointer);
    delete graph;
}

GraphNode* addNode(Graph* graph, GraphNode* const* dependencies, std::size_t count, Work work, int& error)
{
    const std::lock_guard lock(graphMutex());
    error = abi::InvalidValue;
    if (!graphs().count(graph) || (count && !dependencies))
        return nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        if (!liveNodes().count(dependencies[i]) || dependencies[i]->graph != graph)
            return nullptr;
    }
    auto node = std::make_unique<GraphNode>();
    node->graph = graph;
    node->work = std::move(work);
    node->dependencies.assign(dependencies, dependencies + count);
    GraphNode* raw = node.get();
    graph->body->nodes.push_back(std::move(node));
    liveNodes().insert(raw);
    error = abi::Success;
    return raw;
}

std::shared_ptr<GraphBody> cloneBody(const GraphBody& body, Graph* owner)
{
    auto copy = std::make_shared<GraphBody>();
    std::unordered_map<const GraphNode*, GraphNode*> twins;
    for (const auto& node : body.nodes) {
        auto twin = std::make_unique<GraphNode>(*node);
        twin->graph = owner;
        twin->original = node.get();
        if (auto* kernel = std::get_if<KernelWork>(&twin->work)) {
            const auto& from = std::get<KernelWork>(node->work);
            for (std::size_t i = 0; i < from.paramPointers.size(); ++i)
                kernel->paramPointers[i] =
                    kernel->params.data() + (static_cast<std::byte*>(from.paramPointers[i]) - from.params.data());
        } else if (auto* child = std::get_if<ChildWork>(&twin->work)) {
            child->body = cloneBody(*child->body, owner);
        }
        twins[node.get()] = twin.get();
        copy->nodes.push_back(std::move(twin));
    }
    for (const auto& node : copy->nodes) {
        for (GraphNode*& dependency : node->dependencies)
            dependency = twins.at(dependency);
    }
    return copy;
}

bool topologicalOrder(const GraphBody& body, std::vector<GraphNode*>& order)
{
    std::unordered_map<const GraphNode*, std::size_t> waiting;
    std::unordered_map<const GraphNode*, std::vector<GraphNode*>> dependents;
    std::vector<GraphNode*> ready;
    for (const auto& node : body.nodes) {
        waiting[node.get()] = node->dependencies.size();
        for (const GraphNode* dependency : node->dependencies)
            dependents[dependency].push_back(node.get());
        if (node->dependencies.empty())
            ready.push_back(node.get());
    }
    order.clear();
    for (std::size_t i = 0; i < ready.size(); ++i) {
        order.push_back(ready[i]);
        for (GraphNode* next : dependents[ready[i]]) {
            if (--waiting[next] == 0)
                ready.push_back(next);
        }
    }
    return order.size() == body.nodes.size();
}

int performBody(const GraphBody& body)
{
    std::vector<GraphNode*> order;
    if (!topologicalOrder(body, order))
        return abi::InvalidValue;
    for (const GraphNode* node : order) {
        if (!node->enabled)
            continue;
        if (const int error = perform(node->work))
            return error;
    }
    return abi::Success;
}

} // namespace ridgeline::emu
