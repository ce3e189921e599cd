#include "commands/offload/offload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>

#include "campaign/worker_run.h"
#include "cli/console.h"
#include "core/units.h"
#include "discover/discover.h"
#include "lease/ledger.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "probe/run_warnings.h"
#include "remote/host.h"
#include "remote/patience.h"
#include "remote/run_at_place.h"
#include "run/program_folder.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kQuiet = 300ms;  // after this silence no more messages are on their way
constexpr MonotonicNs kCatchUpPatience = 15'000'000'000;
constexpr MonotonicNs kCatchUpTime = 2'000'000'000;  // a run that continues reports twice a second

OffloadedJob offloaded_from(const Store& store, PendingRun pending_run) {
  Result<RemoteRequest> request = remote_request_from_json(pending_run.request);
  if (!request)
    throw Error(ExitCode::store_failed,
                fmt::format("the store '{}': the training {} cannot be read: {}",
                            printable(store.file().native()), printable(pending_run.id),
                            request.error().text));
  request->probe.store_file = store.file();
  return {std::move(pending_run), std::move(request->probe), std::move(request->typed)};
}

/// Stores a training, and removes the rest of it from its machine unless `keep`. If the folder
/// cannot be removed, the pending run stays for the next sweep, which removes it.
std::optional<Reason> store_and_remove(Store& store, RemoteRun& remote, const Run& result,
                                       bool keep) {
  store.add(result, true);
  const Result<void> removed = keep ? Result<void>() : remote.remove();
  if (removed || result.context.place.empty()) store.remove_pending_run(result.context.id);
  if (!removed) return removed.error();
  return std::nullopt;
}

void create_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return;
  if (const auto made = make_private_folders(folder); !made)
    throw Error(ExitCode::system_failed, made.error().text + "; choose another with --into");
}

}  // namespace

// Beginning ---------------------------------------------------------------------------------------

void check_destination(const ProbeRequest& request, const FleetMachine& machine,
                       const Interrupt& interrupt) {
  const Place& place = request.place_setup.place;
  const bool lapcast_stays = request.resume && request.resume->in_sessions;
  if (nodes_of(place) > 1 && !is_queued(place) && !lapcast_stays)
    throw Error(
        ExitCode::usage,
        "nobody would end a training on the other hosts when one of them fails: lapcast has "
        "to stay, as with sweep, verify and offload --sessions");
  if (is_this_machine(request.place_setup.place)) {
    if (const auto found = find_program(request.context.program[0]); !found)
      throw Error(ExitCode::program_failed, found.error().text);
    if (const auto reason = why_cannot_run(machine, request.context.machine))
      throw Error(ExitCode::usage, reason->text);
  }
  const CommandOptions options{.timeout = contact_patience(), .interrupt = &interrupt};
  for (const Place& node : nodes_in(place))
    if (const auto reached = host_of(node)->run({"true"}, options); !reached)
      throw Error(ExitCode::system_failed, reached.error().reason.text);
}

PendingRun pending_training(const ProbeRequest& request, const char* purpose,
                            const std::string& typed) {
  const RunContext& context = request.context;
  return {context.id, context.sweep,
          purpose,    context.place,
          utc_now(),  to_json_line(RemoteRequest{.probe = request, .typed = typed})};
}

Result<void> begin_training(Store& store, const ProbeRequest& request, const std::string& typed,
                            RemoteRun& remote, const RemoteProgress& tell) {
  PendingRun pending = pending_training(request, kOffload, typed);
  store.save_pending_run(pending);
  const Result<void> begun = remote.begin(tell);
  pending.request = to_json_line(RemoteRequest{request});
  if (begun) store.save_pending_run(pending);
  return begun;
}

// Trainings on their way --------------------------------------------------------------------------

std::vector<OffloadedJob> offloaded_in(const Store& store) {
  std::vector<OffloadedJob> jobs;
  for (PendingRun& pending_run : store.pending_runs())
    if (pending_run.purpose == kOffload || pending_run.purpose == kSession)
      jobs.push_back(offloaded_from(store, std::move(pending_run)));
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

std::string state_text(const OffloadState& state) {
  if (state.run) return describe(state.run->outcome);
  if (state.lost) return (state.never_began ? "" : "lost: ") + state.lost->text;
  if (state.out_of_reach) return "out of reach: " + state.out_of_reach->text;
  if (!state.note.empty()) return state.note;
  if (!state.progress) return "no message yet";
  return state.progress->state.empty() ? "running" : state.progress->state;
}

OffloadedRun::OffloadedRun(const OffloadedJob& job, const Interrupt& interrupt,
                           std::unique_ptr<RemoteRun> remote)
    : job_(job),
      interrupt_(interrupt),
      remote_(remote ? std::move(remote) : remote_run(job.request, interrupt)) {}

void OffloadedRun::count(std::int64_t bytes) {
  came_ += bytes;
  const std::string host = host_of(job_.request.place_setup.place)->name();
  if (!host.starts_with(host_of_lease(""))) return;
  auto ledger = Ledger::open_existing();
  const auto leases = ledger ? ledger->all_leases() : std::vector<Lease>();
  const auto rented =
      std::ranges::find(leases, host, [](const Lease& lease) { return host_of_lease(lease.id); });
  if (rented != leases.end())
    ledger->update(rented->id, [&](Lease& lease) { lease.fetched += came_; });
  came_ = 0;
}

bool OffloadedRun::find() {
  const auto exists = remote_->exists();
  if (!exists) {
    state_.out_of_reach = exists.error();
  } else if (!*exists) {
    state_.never_began = !job_.typed.empty();
    state_.lost =
        Reason{state_.never_began ? "never began; start it with: " + printable(job_.typed, 1000)
                                  : fmt::format("{} has no folder of it any more",
                                                host_of(job_.request.place_setup.place)->name())};
  } else if (auto begun = remote_->begin([&](const std::string& what) { state_.note = what; });
             !begun) {
    state_.out_of_reach = begun.error();
  } else {
    return true;
  }
  return false;
}

const OffloadState& OffloadedRun::follow(std::chrono::milliseconds at_most) {
  RemoteNews news = remote_->follow(at_most);
  came_ += news.bytes;
  for (AgentMessage& said : news.messages) {
    if (auto* progress = std::get_if<ProbeProgress>(&said)) state_.progress = std::move(*progress);
    if (auto* so_far = std::get_if<RunSoFar>(&said))
      state_.so_far = as_run_of(job_.request, std::move(so_far->run));
    if (auto* run = std::get_if<Run>(&said)) state_.run = as_run_of(job_.request, std::move(*run));
    if (auto* reason = std::get_if<Reason>(&said)) state_.lost = std::move(*reason);
  }
  if (news.caught_up) caught_up_ = caught_up_.value_or(false) || *news.caught_up;
  if (!news.messages.empty()) state_.note.clear();
  if (!news.note.empty()) state_.note = news.note;
  if (news.lost && !state_.run) state_.lost = news.lost;
  return state_;
}

const OffloadState& OffloadedRun::catch_up() {
  const MonotonicNs begin = monotonic_ns();
  bool heard = false;
  while (!is_over() && interrupt_.count() == 0) {
    const auto elapsed = [&] {
      return state_.progress ? std::optional(state_.progress->elapsed) : std::nullopt;
    };
    const auto before = elapsed();
    const std::string note = state_.note;
    follow(kQuiet);
    const bool news = note != state_.note || elapsed() != before;
    heard = heard || news;
    const MonotonicNs passed = monotonic_ns() - begin;
    // If no mark of the record's end comes, silence is the only sign.
    const bool is_silent = heard && (!news || passed > kCatchUpTime);
    const bool waits = !state_.note.empty() && !news;
    const bool is_done = caught_up_ ? *caught_up_ || waits : is_silent;
    if (is_done || passed > kCatchUpPatience) break;
  }
  return state_;
}

std::vector<AskedJob> ask_all(const Store& store, const Interrupt& interrupt,
                              const std::function<void(const OffloadedJob&)>& tell) {
  std::vector<AskedJob> asked;
  std::map<std::string, OffloadState> out_of_reach;  // by host: waits for none twice
  for (OffloadedJob& job : offloaded_in(store)) {
    if (interrupt.count() > 0) break;
    tell(job);
    const std::string host = host_of(job.request.place_setup.place)->name();
    if (!out_of_reach.contains(host)) {
      OffloadedRun run(job, interrupt);
      if (run.find()) run.catch_up();
      if (!run.state().out_of_reach) {
        asked.push_back({job, run.state()});
        continue;
      }
      out_of_reach[host] = run.state();
    }
    asked.push_back({std::move(job), out_of_reach[host]});
  }
  return asked;
}

void refuse(const OffloadedJob& job, const OffloadState& state) {
  if (state.lost)
    throw Error(ExitCode::program_failed,
                fmt::format("the training {} {}{}; lapcast cancel --forget {} forgets it",
                            job.pending_run.id, state.never_began ? "" : "is lost: ",
                            state.lost->text, job.pending_run.id));
  throw Error(ExitCode::system_failed,
              state.out_of_reach ? state.out_of_reach->text : "no message came from the training");
}

void follow_to_the_end(OffloadedRun& run, const Interrupt& interrupt,
                       const std::function<void(const OffloadState&)>& tell) {
  while (!run.is_over() && interrupt.count() == 0) tell(run.follow(1000ms));
}

// The end -----------------------------------------------------------------------------------------

FetchedTraining fetch_training(Store& store, OffloadedRun& run, const std::filesystem::path& folder,
                               bool keep) {
  const OffloadState& state = run.catch_up();
  if (state.lost) refuse(run.job(), state);
  create_folder(folder);
  FetchedTraining fetched;
  const auto copied = run.remote().fetch(folder);
  const bool started =
      !state.run || !std::holds_alternative<outcome::NotStarted>(state.run->outcome);
  if (!copied && started) throw Error(ExitCode::system_failed, copied.error().text);
  if (copied) fetched.left = copied->left;
  run.count(copied ? copied->bytes : 0);
  fetched.run = state.run;
  if (state.run) fetched.not_removed = store_and_remove(store, run.remote(), *state.run, keep);
  return fetched;
}

void stop_training(OffloadedRun& run, const Interrupt& interrupt,
                   const std::function<void(const OffloadState&)>& tell) {
  run.catch_up();
  if (!run.is_over())
    if (const auto ordered = run.remote().order("stop"); !ordered)
      throw Error(ExitCode::system_failed, ordered.error().text);
  follow_to_the_end(run, interrupt, tell);
  if (!run.is_over())
    throw Error(ExitCode::interrupted, "it was told to end, and has not yet; see lapcast jobs");
}

void warn_of_files_left(const Store& store, const RunContext& context) {
  for (const Run& run : store.runs(
           {.folder = folder_of_program(context), .command = shown_program(context), .newest = 1}))
    for (const std::string& warning : run.warnings)
      if (is_warning_of_foreign_files(warning))
        warn({"of its last run: " + warning + ", as such files are not brought home"});
}

std::optional<Reason> forget_training(Store& store, OffloadedRun& run, bool found) {
  const OffloadState& state = run.state();
  const Run result =
      state.run ? *state.run
                : run_not_started(run.job().request.context, "forgotten: " + state_text(state));
  return store_and_remove(store, run.remote(), result, !found);
}

}  // namespace lapcast
