#include "cli/offloaded.h"

#include <fmt/format.h>

#include "core/units.h"
#include "fleet/follow_remote_run.h"
#include "probe/clock.h"
#include "remote/agent_command.h"
#include "remote/host.h"
#include "remote/patience.h"
#include "remote/probe_lines.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kQuiet = 300ms;                          // after which nothing more is on its way
constexpr MonotonicNs kFirstWordPatience = 15'000'000'000;

OffloadedJob offloaded_from(const Store& store, PendingRun pending_run) {
  Result<RemoteRequest> request = remote_request_from_json(pending_run.request);
  if (!request)
    throw Error(ExitCode::store_failed,
                fmt::format("the store '{}': the training {} cannot be read: {}",
                            printable(store.file().native()), printable(pending_run.id),
                            request.error().text));
  request->probe.store_file = store.file();
  return {std::move(pending_run), std::move(request->probe)};
}

}  // namespace

std::vector<OffloadedJob> offloaded_in(const Store& store) {
  std::vector<OffloadedJob> jobs;
  for (PendingRun& pending_run : store.pending_runs())
    if (pending_run.purpose == kOffload) jobs.push_back(offloaded_from(store, std::move(pending_run)));
  return jobs;
}

OffloadedJob offloaded_of(const Store& store, const std::string& id_prefix) {
  std::vector<OffloadedJob> jobs = offloaded_in(store);
  if (jobs.empty())
    throw Error(ExitCode::usage, "no training is on its way; lapcast offload sends one");
  if (id_prefix == "last") return std::move(jobs.back());
  std::vector<OffloadedJob> found;
  for (OffloadedJob& job : jobs)
    if (job.pending_run.id.starts_with(id_prefix)) found.push_back(std::move(job));
  if (found.size() == 1) return std::move(found[0]);
  throw Error(ExitCode::usage,
              fmt::format("{} training whose id begins with '{}' is on its way; see lapcast jobs",
                          found.empty() ? "no" : "more than one", printable(id_prefix)));
}

OffloadedRun::OffloadedRun(const OffloadedJob& job, const Interrupt& interrupt)
    : job_(job), interrupt_(interrupt), remote_(remote_run(job.request, interrupt)) {}

bool OffloadedRun::find() {
  const auto host = host_of(job_.request.site.place);
  const auto there =
      host->run(in_folder_there(job_.request.site, "test -d \"$1\" && echo there || echo gone",
                                {"runs/" + job_.pending_run.id}),
                {.timeout = contact_patience(), .interrupt = &interrupt_});
  if (!there) {
    state_.out_of_reach = there.error().reason;
  } else if (there->output != "there\n") {
    state_.lost = Reason{fmt::format("{} has no folder of it any more", host->name())};
  } else if (auto begun = remote_->begin([&](const std::string& what) { state_.note = what; });
             !begun) {
    state_.out_of_reach = begun.error();
  } else {
    return true;
  }
  return false;
}

const OffloadState& OffloadedRun::follow(std::chrono::milliseconds at_most) {
  RemoteRun::News news = remote_->follow(at_most);
  for (const std::string& line : news.lines) {
    ProbeLine said = parse_probe_line(line);
    if (auto* progress = std::get_if<ProbeProgress>(&said)) state_.progress = std::move(*progress);
    if (auto* run = std::get_if<Run>(&said)) state_.run = as_run_of(job_.request, std::move(*run));
    if (auto* reason = std::get_if<Reason>(&said)) state_.lost = std::move(*reason);
  }
  if (!news.lines.empty()) state_.note.clear();
  if (!news.note.empty()) state_.note = news.note;
  if (news.lost && !state_.run) state_.lost = news.lost;
  return state_;
}

const OffloadState& OffloadedRun::catch_up() {
  const MonotonicNs begin = monotonic_ns();
  bool heard = false;
  while (!is_over() && interrupt_.count() == 0) {
    const Seconds before = state_.progress ? state_.progress->elapsed : Seconds{-1};
    const std::string note = state_.note;
    follow(kQuiet);
    const bool news = note != state_.note ||
                      (state_.progress && state_.progress->elapsed != before);
    heard = heard || news;
    // A run that goes on tells of itself twice a second: what it is at now is enough.
    if (heard && (!news || monotonic_ns() - begin > 2'000'000'000)) break;
    if (monotonic_ns() - begin > kFirstWordPatience) break;
  }
  return state_;
}

}  // namespace lapcast
