#include "remote/nodes_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/units.h"
#include "lap/laps_kind.h"
#include "machine/place.h"
#include "posix/files.h"
#include "remote/host.h"

namespace lapcast {
namespace {

using Clock = std::chrono::steady_clock;

/// Is how long the other nodes may go on after one has ended by itself, as to save a checkpoint.
constexpr std::chrono::seconds kToFinish{60};

constexpr const char* kNodes = "nodes";
constexpr const char* kNode = "node";
constexpr const char* kHead = "head";

std::string name_of(const ProbeRequest& request) {
  return host_of(request.place_setup.place)->name();
}

/// Returns the name of a host without the user in front of it.
std::string address_of(const std::string& host) {
  const std::size_t at = host.rfind('@');
  return at == std::string::npos ? host : host.substr(at + 1);
}

/// Returns the outcome of a run of which one node failed first, with the node's name. A lack of
/// memory keeps its kind, which searches for batches need.
Outcome failed_on(const std::string& node, const Outcome& outcome) {
  if (is_out_of_memory(outcome)) return outcome;
  if (const auto* none = std::get_if<outcome::NotStarted>(&outcome))
    return outcome::NotStarted{node + ": " + none->why};
  if (const auto* none = std::get_if<outcome::NoLaps>(&outcome))
    return outcome::NoLaps{node + ": " + none->why};
  return outcome::NoLaps{
      fmt::format("{}: {}; the other nodes were ended", node, describe(outcome))};
}

class NodesRun : public RemoteRun {
 public:
  NodesRun(const ProbeRequest& request, const RunOfNode& make)
      : requests_(requests_of_nodes(request)) {
    for (const ProbeRequest& of_node : requests_) nodes_.push_back({make(of_node), {}, {}, false});
  }

  Result<bool> exists() override {
    for (Node& node : nodes_)
      if (const auto there = node.run->exists(); !there || *there) return there;
    return false;
  }

  Result<void> begin(const RemoteProgress& tell) override {
    // What an earlier command began may have files that are still to be fetched.
    const bool was_begun =
        requests_.front().keep_run_folder && nodes_.front().run->exists().value_or(false);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      auto begun = nodes_[i].run->begin(tell);
      if (begun) continue;
      for (std::size_t j = 0; j < i && !was_begun; ++j) (void)end_and_remove(*nodes_[j].run);
      return begun;
    }
    return {};
  }

  RemoteNews follow(std::chrono::milliseconds at_most) override {
    RemoteNews all;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].result || nodes_[i].lost) continue;
      RemoteNews news = nodes_[i].run->follow(at_most / static_cast<int>(nodes_.size()));
      if (!news.note.empty()) all.note = std::move(news.note);
      all.silent = std::max(all.silent, news.silent);
      all.bytes += news.bytes;
      take(i, news, all);
    }
    end_the_others();
    if (std::ranges::all_of(nodes_, [](const Node& node) { return node.result || node.lost; }))
      finish(all);
    return all;
  }

  Result<void> order(const std::string& what) override {
    Result<void> given;
    for (Node& node : nodes_)
      if (!node.result && !node.lost)
        if (auto one = node.run->order(what); !one) given = std::move(one);
    return given;
  }

  Result<void> remove() override {
    Result<void> removed;
    for (Node& node : nodes_)
      if (auto one = node.run->remove(); !one) removed = std::move(one);
    return removed;
  }

  Result<FetchedFiles> fetch(const std::filesystem::path& local) override {
    FetchedFiles all;
    Result<void> done;  // of all nodes: one may be out of reach
    std::set<std::string> seen;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      auto own = nodes_[i].run->own_files();
      if (!own) {
        done = tl::unexpected(own.error());
        continue;
      }
      const auto again =
          std::stable_partition(own->begin(), own->end(),
                                [&](const std::string& path) { return seen.insert(path).second; });
      std::vector<std::string> clashing(again, own->end());
      own->erase(again, own->end());
      for (auto copied : {copy(*nodes_[i].run, *std::move(own), local, all),
                          copy(*nodes_[i].run, std::move(clashing), folder_of_node(local, i), all)})
        if (!copied) done = std::move(copied);
    }
    if (!done) return tl::unexpected(done.error());
    return all;
  }

  std::string end_command() const override { return nodes_.front().run->end_command(); }

 private:
  struct Node {
    std::unique_ptr<NodeRun> run;
    std::optional<Run> result;
    std::optional<Reason> lost;
    bool told_to_end = false;
  };

  /// Copies files of a node into a folder, and adds what came of it to `all`.
  static Result<void> copy(NodeRun& run, std::vector<std::string> paths,
                           const std::filesystem::path& local, FetchedFiles& all) {
    if (paths.empty()) return {};
    if (auto made = make_private_folders(local); !made) return made;
    auto copied = run.fetch_only(std::move(paths), local);
    if (!copied) return tl::unexpected(copied.error());
    all.bytes += copied->bytes;
    all.left.count += copied->left.count;
    std::ranges::move(copied->left.names, std::back_inserter(all.left.names));
    return {};
  }

  /// Takes what a node says; only the head's progress is passed on.
  void take(std::size_t index, RemoteNews& news, RemoteNews& all) {
    Node& node = nodes_[index];
    for (AgentMessage& said : news.messages) {
      if (auto* run = std::get_if<Run>(&said))
        node.result = std::move(*run);
      else if (auto* reason = std::get_if<Reason>(&said))
        node.lost = *reason;
      else if (index == 0)
        all.messages.push_back(std::move(said));
    }
    if (news.lost && !node.result) node.lost = news.lost;
    if (news.ended && !node.result && !node.lost) node.lost = Reason{"its result cannot be read"};
    if ((node.result || node.lost) && !first_ended_) {
      first_ended_ = index;
      first_ended_at_ = Clock::now();
    }
  }

  /// Ends the other nodes when the first has ended: at once where it failed or was stopped.
  void end_the_others() {
    if (!first_ended_) return;
    const Node& first = nodes_[*first_ended_];
    const bool by_itself =
        first.result && std::holds_alternative<outcome::Ended>(first.result->outcome);
    if (by_itself && Clock::now() < first_ended_at_ + kToFinish) return;
    for (Node& node : nodes_)
      if (!node.result && !node.lost && !node.told_to_end)
        node.told_to_end = node.run->order("stop").has_value();
  }

  void finish(RemoteNews& all) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].lost) {
        all.messages.push_back(Reason{name_of(requests_[i]) + ": " + nodes_[i].lost->text});
        all.ended = true;
        return;
      }
      runs.push_back(*nodes_[i].result);
    }
    all.messages.push_back(merge_nodes(requests_, std::move(runs), *first_ended_));
    all.ended = true;
  }

  const std::vector<ProbeRequest> requests_;
  std::vector<Node> nodes_;
  std::optional<std::size_t> first_ended_;
  Clock::time_point first_ended_at_{};
};

}  // namespace

bool is_filled_on_nodes(std::string_view placeholder) {
  return placeholder == kNodes || placeholder == kNode || placeholder == kHead;
}

void fill_in_node(RunContext& context, std::size_t nodes, const std::string& node,
                  const std::string& head) {
  context.settings.insert({{kNodes, std::to_string(nodes)}, {kNode, node}, {kHead, head}});
}

RunContext on_only_node(RunContext context) {
  fill_in_node(context, 1, "0", "127.0.0.1");
  return context;
}

bool has_failed(const Outcome& outcome) {
  return !has_laps(outcome) && !std::holds_alternative<outcome::Interrupted>(outcome);
}

std::filesystem::path folder_of_node(const std::filesystem::path& local, std::size_t node) {
  return local.parent_path() / fmt::format("{}-node-{}", local.filename().string(), node);
}

std::vector<ProbeRequest> requests_of_nodes(const ProbeRequest& request) {
  if (nodes_of(request.place_setup.place) == 1 || is_queued(request.place_setup.place))
    return {request};
  const std::vector<Place> places = nodes_in(request.place_setup.place);
  const auto& head = std::get<SshPlace>(places.front());
  std::vector<ProbeRequest> requests;
  for (std::size_t i = 0; i < places.size(); ++i) {
    ProbeRequest& of_node = requests.emplace_back(request);
    of_node.place_setup.place = places[i];
    fill_in_node(of_node.context, places.size(), std::to_string(i), address_of(head.host));
    if (i == 0) continue;
    // The nodes may share lapcast's folder.
    of_node.context.id += fmt::format("-n{}", i);
    of_node.limits.precision = kNoPrecision;
    of_node.limits.device_precision = kNoPrecision;
    of_node.limits.max_laps = 0;
    of_node.limits.budget = 2 * request.limits.budget;
    of_node.limits.epochs.reset();
    of_node.watch.reset();
    of_node.limits.to_the_end = request.limits.to_the_end || request.watch.has_value();
    // Nobody may be there to end it: lapcast may be killed, or the link be down.
    if (request.watch && request.watch->limits.session)
      of_node.watch =
          WatchRequest{.limits = {.session = *request.watch->limits.session + kToFinish}};
  }
  return requests;
}

Run merge_nodes(const std::vector<ProbeRequest>& requests, std::vector<Run> runs,
                std::size_t first_ended) {
  const std::string node = name_of(requests[first_ended]);
  const Outcome first = runs[first_ended].outcome;
  Run merged = std::move(runs.front());
  if (has_failed(first)) {
    merged.outcome = failed_on(node, first);
    if (first_ended > 0) {
      merged.standard_output = std::move(runs[first_ended].standard_output);
      merged.standard_error = std::move(runs[first_ended].standard_error);
    }
    merged.warnings.push_back(fmt::format("{} failed first: {}", node, describe(first)));
  } else if (std::holds_alternative<outcome::Interrupted>(merged.outcome)) {
    merged.outcome = first;  // the head was ended because another node had
  }
  for (std::size_t i = 1; i < runs.size(); ++i) {
    // The logs of a node's supervisor tell of its own GPUs and load, whose numbers are those of the
    // head's, too.
    for (std::string& log : runs[i].lap_logs)
      if (has_lap_lines(log)) merged.lap_logs.push_back(std::move(log));
    for (const std::string& warning : runs[i].warnings)
      merged.warnings.push_back(name_of(requests[i]) + ": " + warning);
  }
  return merged;
}

std::unique_ptr<RemoteRun> nodes_run(const ProbeRequest& request, const RunOfNode& make) {
  return std::make_unique<NodesRun>(request, make);
}

}  // namespace lapcast
