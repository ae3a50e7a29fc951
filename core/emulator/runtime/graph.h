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

/// A program's own object that lives as long as the graphs that refer to it.
struct UserObject {
    std::atomic<unsigned> references{0};
    abi::HostFunction destroy = nullptr;
    void* pointer = nullptr;
    void release(unsigned count);
};

/// Nodes in the order they were added.
struct GraphBody {
    std::vector<std::unique_ptr<GraphNode>> nodes;
    std::vector<UserObject*> userObjects;
    ~GraphBody();
};

struct Graph {
    std::shared_ptr<GraphBody> body = std::make_shared<GraphBody>();
    std::vector<Graph*> childHandles; ///< given out for child nodes' bodies; end with this graph
};

/// An instantiated graph: a copy of its own.
struct GraphExec {
    std::shared_ptr<GraphBody> body;
    unsigned long long flags = 0;
};

/// Handles are given out and checked here. Thread-safe.
bool isGraph(const Graph* graph);
bool isGraphNode(const GraphNode* node);
Graph* newGraph();
void deleteGraph(Graph* graph);
/// The handle for a child node's body, made on the first request.
Graph* childGraph(GraphNode& node);
/// Takes the node and its edges out.
void removeNode(GraphNode* node);
std::recursive_mutex& graphMutex();

/// Null (with the error) for bad dependencies.
GraphNode* addNode(Graph* graph, GraphNode* const* dependencies, std::size_t count, Work work,
                   int& error);

/// The numbers of cudaGraphNodeType.
int nodeType(const GraphNode& node);

/// Copies nodes and edges; child graphs too. Owner null: an executable's body, whose nodes are no
/// handles.
std::shared_ptr<GraphBody> cloneBody(const GraphBody& body, Graph* owner);
/// False when the nodes form a cycle.
bool topologicalOrder(const GraphBody& body, std::vector<GraphNode*>& order);
/// Performs every node in order; the first error ends it.
int performBody(const GraphBody& body);

} // namespace ridgeline::emu
