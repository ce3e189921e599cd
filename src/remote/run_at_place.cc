#include "remote/run_at_place.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "remote/nodes_run.h"
#include "remote/record_link.h"
#include "remote/slurm_run.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

/// Handles a run on a host itself: one reached by ssh, or this machine, detached from the process
/// that began it.
class HostRun : public NodeRun {
 public:
  HostRun(const ProbeRequest& request, const Interrupt& interrupt)
      : request_(request),
        interrupt_(interrupt),
        host_(host_of(request.place_setup.place)),
        link_(*host_, request_.place_setup, request.context.id, interrupt) {}

  Result<bool> exists() override { return link_.exists(); }
  Result<void> begin(const RemoteProgress& tell) override {
    auto session = begin_run(*host_, request_, AgentTask::Kind::begin, interrupt_, tell);
    if (!session) return tl::unexpected(session.error());
    link_.follow_session(std::move(*session));
    return {};
  }
  RemoteNews follow(std::chrono::milliseconds at_most) override { return link_.follow(at_most); }
  Result<void> order(const std::string& what) override { return link_.order(what); }
  Result<void> remove() override { return link_.remove(); }
  Result<FetchedFiles> fetch(const std::filesystem::path& local) override {
    return link_.fetch(local);
  }
  Result<std::vector<std::string>> own_files() override { return link_.own_files(); }
  Result<FetchedFiles> fetch_only(std::vector<std::string> paths,
                                  const std::filesystem::path& local) override {
    return link_.fetch(local, std::move(paths));
  }
  std::string end_command() const override {
    return fmt::format("echo stop >>{}/orders", shell_quote(agent_folder(request_.place_setup) +
                                                            "/runs/" + request_.context.id));
  }

 private:
  const ProbeRequest request_;
  const Interrupt& interrupt_;
  const std::unique_ptr<Host> host_;
  RecordLink link_;
};

}  // namespace

std::unique_ptr<RemoteRun> remote_run(const ProbeRequest& request, const Interrupt& interrupt) {
  const Place& place = request.place_setup.place;
  const bool has_several = nodes_of(place) > 1;
  if (!is_queued(place) && has_several)
    return nodes_run(request, [&](const ProbeRequest& of_node) {
      return std::make_unique<HostRun>(of_node, interrupt);
    });
  ProbeRequest own = request;
  if (!has_several) own.context = on_only_node(std::move(own.context));
  if (std::holds_alternative<SlurmPlace>(place)) return std::make_unique<SlurmRun>(own, interrupt);
  return std::make_unique<HostRun>(own, interrupt);
}

}  // namespace lapcast
