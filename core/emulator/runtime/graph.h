// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA graphs: what capture records and graph calls build; run in a topological order.
#pragma once

#include "core/emulator/runtime/stream.h"

namespace ridgeline::emu {

struct GraphNode {
    Graph* graph = nullptr;
    Work work;
    std::vector<GraphNode*> dependencies;
    GraphNode* original = nullptr; ///< the node this one was cloned from
    bool enabled = true;
    std::map<int, abi::LaunchAttributeValue> attributes;
};

/// Nodes in the order they were added.
struct GraphBody {
    std::vector<std::unique_ptr<GraphNode>> nodes;
    std::vector<std::pair<void (*)(void*), void*>> userObjects;
};

struct Graph {
    std::shared_ptr<GraphBody> body = std::make_shared<GraphBody>();
    Graph* childHandle = nullptr; ///< handle given out for a child node's body; owned
    std::vector<std::unique_ptr<Graph>> childHandles;
};

/// An instantiated graph: a copy of its own, in running order.
struct GraphExec {
    Graph graph;
    std::vector<GraphNode*> order;
    unsigned long long flags = 0;
    std::vector<void*> allocated; ///< by allocation nodes of the last launch and not freed by it
};

/// Handles are given out and checked here. Thread-safe.
bool isGraph(const Graph* graph);
bool isGraphNode(const GraphNode* node);
bool isGraphExec(const GraphExec* exec);
Graph* newGraph();
void deleteGraph(Graph* graph);

/// Null (with the error) for bad dependencies.
GraphNode* addNode(Graph* graph, GraphNode* const* dependencies, std::size_t count, Work work, int& error);

/// Copies nodes and edges; child graphs too.
std::shared_ptr<GraphBody> cloneBody(const GraphBody& body, Graph* owner);
/// False when the nodes form a cycle.
bool topologicalOrder(const GraphBody& body, std::vector<GraphNode*>& order);
/// Performs every node in order; the first error ends it.
int performBody(const GraphBody& body);

} // namespace ridgeline::emu
