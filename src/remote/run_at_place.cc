#include "remote/run_at_place.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>

#include "remote/nodes_run.h"
#include "remote/record_link.h"
#include "remote/slurm_run.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

/// Handles a run on a host itself: one reached by ssh, or this machine, detached from the process
/// that began it.
class HostRun : public RemoteRun {
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
  if (!is_queued(request.place_setup.place) && nodes_of(request.place_setup.place) > 1)
    return nodes_run(request, [&](const ProbeRequest& of_node) {
      return std::make_unique<HostRun>(of_node, interrupt);
    });
  if (std::holds_alternative<SlurmPlace>(request.place_setup.place))
    return std::make_unique<SlurmRun>(request, interrupt);
  return std::make_unique<HostRun>(request, interrupt);
}

}  // namespace lapcast
