#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "probe/request.h"
#include "remote/remote_run.h"

namespace lapcast {

/// Handles the run of one node.
class NodeRun : public RemoteRun {
 public:
  /// Returns the paths of the files in the run folder that were written since the run began.
  virtual Result<std::vector<std::string>> own_files() = 0;
  /// Does the same as fetch() for these files of it, at least one.
  virtual Result<FetchedFiles> fetch_only(std::vector<std::string> paths,
                                          const std::filesystem::path& local) = 0;
};
using RunOfNode = std::function<std::unique_ptr<NodeRun>(const ProbeRequest&)>;

/// Returns the folder beside `local` for what the node wrote under names that an earlier node has.
std::filesystem::path folder_of_node(const std::filesystem::path& local, std::size_t node);

/// Returns whether lapcast itself gives the placeholder a value on each node: {nodes}, {node} and
/// {head}.
bool is_filled_on_nodes(std::string_view placeholder);

/// Gives {nodes}, {node} and {head} values where the user gave them none.
void fill_in_node(RunContext& context, std::size_t nodes, const std::string& node,
                  const std::string& head);

/// Returns the context of a run on one host, with 1 for {nodes}, 0 for {node} and 127.0.0.1 for
/// {head} where the user gave them no values. What is stored of a run has no such settings.
RunContext on_only_node(RunContext context);

/// Returns whether a run failed: it has no laps that count, and nobody ended it.
bool has_failed(const Outcome& outcome);

/// Returns what each node is asked to run: the program of the request with {nodes}, {node} (0 is
/// the head) and {head} (its host) filled in. The head decides when there are enough laps; the
/// others go on until it has ended, and for at most twice its budget, or a minute longer than its
/// session. What runs on one host or waits in a queue is asked as it is.
std::vector<ProbeRequest> requests_of_nodes(const ProbeRequest& request);

/// Returns the run of nodes as one: the head's, with the lap logs of the others. When the first of
/// them failed, the outcome says which and how.
Run merge_nodes(const std::vector<ProbeRequest>& requests, std::vector<Run> runs,
                std::size_t first_ended);

/// Returns a run on all nodes of a place without a queue, one start on each. If one node fails, all
/// are ended, and the outcome names it. fetch() copies what each node wrote since it began, as if
/// they shared the folder: the file of the first node that has one of a name, and those of the
/// others into folder_of_node(). Where a node is out of reach it copies from the others, and fails.
std::unique_ptr<RemoteRun> nodes_run(const ProbeRequest& request, const RunOfNode& make);

}  // namespace lapcast
