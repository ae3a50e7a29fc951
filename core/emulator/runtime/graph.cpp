// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/graph.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace ridgeline::emu {

namespace {

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

std::recursive_mutex& graphMutex()
{
    static auto* mutex = new std::recursive_mutex;
    return *mutex;
}

void UserObject::release(unsigned count)
{
    if (references.fetch_sub(count) == count) {
        destroy(pointer);
        delete this;
    }
}

GraphBody::~GraphBody()
{
    const std::lock_guard lock(graphMutex());
    for (const auto& node : nodes)
        liveNodes().erase(node.get());
    for (UserObject* object : userObjects)
        object->release(1);
}

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

void deleteGraph(Graph* graph)
{
    const std::lock_guard lock(graphMutex());
    if (!graphs().erase(graph))
        return;
    for (Graph* child : graph->childHandles)
        deleteGraph(child);
    delete graph;
}

Graph* childGraph(GraphNode& node)
{
    const std::lock_guard lock(graphMutex());
    auto* work = std::get_if<ChildWork>(&node.work);
    if (!work || !node.graph)
        return nullptr;
    for (Graph* known : node.graph->childHandles) {
        if (known->body == work->body)
            return known;
    }
    Graph* made = newGraph();
    made->body = work->body;
    for (const auto& inner : made->body->nodes) {
        inner->graph = made;
        liveNodes().insert(inner.get());
    }
    node.graph->childHandles.push_back(made);
    return made;
}

GraphNode* addNode(Graph* graph, GraphNode* const* dependencies, std::size_t count, Work work,
                   int& error)
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

void removeNode(GraphNode* node)
{
    const std::lock_guard lock(graphMutex());
    auto& nodes = node->graph->body->nodes;
    liveNodes().erase(node);
    for (const auto& other : nodes)
        std::erase(other->dependencies, node);
    std::erase_if(nodes, [&](const auto& each) { return each.get() == node; });
}

int nodeType(const GraphNode& node)
{
    // In the order of the alternatives of Work.
    constexpr int types[] = {5, 0, 1, 2, 3, 7, 6, 4, 10, 11};
    static_assert(sizeof types / sizeof *types == std::variant_size_v<Work>);
    return types[node.work.index()];
}

std::shared_ptr<GraphBody> cloneBody(const GraphBody& body, Graph* owner)
{
    const std::lock_guard lock(graphMutex());
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
                    kernel->params.data() +
                    (static_cast<std::byte*>(from.paramPointers[i]) - from.params.data());
        } else if (auto* child = std::get_if<ChildWork>(&twin->work)) {
            child->body = cloneBody(*child->body, nullptr);
        }
        twins[node.get()] = twin.get();
        if (owner)
            liveNodes().insert(twin.get());
        copy->nodes.push_back(std::move(twin));
    }
    for (const auto& node : copy->nodes) {
        for (GraphNode*& dependency : node->dependencies)
            dependency = twins.at(dependency);
    }
    copy->userObjects = body.userObjects;
    for (UserObject* object : copy->userObjects)
        ++object->references;
    return copy;
}

bool topologicalOrder(const GraphBody& body, std::vector<GraphNode*>& order)
{
    std::unordered_map<const GraphNode*, std::size_t> waiting;
    std::unordered_map<const GraphNode*, std::vector<GraphNode*>> dependents;
    order.clear();
    for (const auto& node : body.nodes) {
        waiting[node.get()] = node->dependencies.size();
        for (const GraphNode* dependency : node->dependencies)
            dependents[dependency].push_back(node.get());
        if (node->dependencies.empty())
            order.push_back(node.get());
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (GraphNode* next : dependents[order[i]]) {
            if (--waiting[next] == 0)
                order.push_back(next);
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
