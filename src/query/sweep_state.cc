#include "query/sweep_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <utility>
#include <variant>

#include "core/hash.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "history/assessment.h"
#include "probe/ids_and_time.h"
#include "remote/remote_request.h"
#include "run/run_cost.h"

namespace lapcast {
namespace {

using KindAndCandidate = std::pair<RunKind, std::string>;

/// Returns the run ids of the sweep's pending runs.
std::multimap<KindAndCandidate, std::string> run_ids_under_way(
    const std::vector<PendingRun>& pending_runs, const Sweep& sweep) {
  std::multimap<KindAndCandidate, std::string> ids;
  for (const PendingRun& pending_run : pending_runs) {
    if (pending_run.sweep != sweep.id || pending_run.purpose == kRemoval) continue;
    const Result<RemoteRequest> request = remote_request_from_json(pending_run.request);
    if (!request) continue;
    const RunContext& context = request->probe.context;
    ids.insert({{context.kind, candidate_name(context)}, pending_run.id});
  }
  return ids;
}

/// Returns the cost for ordering runs: equal for all without a price; runs that cannot be billed
/// come last.
Money cost_for_order(const Run& run, Seconds time) {
  if (!run.context.price) return Money{};
  return cost_of_time(run, time, {}).value_or(Money::from_nanos(INT64_MAX));
}

const char* noun_of(const WantedSweep& wanted) {
  return wanted.fleet_file.empty() ? "set" : "sweep";
}

/// Returns warnings about sweeps over the same fleet file with runs under way on their machines.
std::vector<std::string> runs_left_alone(const Store& store, const WantedSweep& wanted) {
  std::vector<std::string> said;
  if (wanted.fleet_file.empty()) return said;
  std::map<std::string, std::size_t> under_way;
  for (const PendingRun& pending_run : store.pending_runs())
    if (pending_run.purpose == "probe") ++under_way[pending_run.sweep];
  for (const Sweep& sweep : store.sweeps())
    if (const auto left = under_way.find(sweep.id);
        sweep.fleet_file == wanted.fleet_file && left != under_way.end())
      said.push_back(
          fmt::format("warning: {} of sweep {} {} still under way on a remote machine, and nobody "
                      "waits for {} any more",
                      left->second == 1 ? "a run" : fmt::format("{} runs", left->second), sweep.id,
                      left->second == 1 ? "is" : "are", left->second == 1 ? "it" : "them"));
  return said;
}

FoundSweep begin(Store& store, const WantedSweep& wanted) {
  FoundSweep found;
  found.said = runs_left_alone(store, wanted);
  found.sweep = {new_id(),
                 wanted.key,
                 utc_now(),
                 wanted.fleet_file,
                 describe_sweep(wanted.subject, wanted.program, wanted.typed),
                 false,
                 wanted.folder,
                 wanted.name};
  store.save_sweep(found.sweep);
  return found;
}

/// Returns the sweeps of the key. Those of an older version get it.
std::vector<Sweep> known_sweeps(Store& store, const WantedSweep& wanted) {
  std::vector<Sweep> known = store.sweeps_by_key(wanted.key);
  if (!known.empty() || wanted.former_key.empty()) return known;
  known = store.sweeps_by_key(wanted.former_key);
  for (Sweep& sweep : known) {
    sweep.key = wanted.key;
    store.save_sweep(sweep);
  }
  return known;
}

/// Returns the byte for a key. Two keys with the same byte, which is rare, wait for each other.
off_t byte_of(const std::string& key) {
  ContentHash hash;
  hash.add(key);
  return static_cast<off_t>(std::stoull(hash.hex().substr(0, 10), nullptr, 16));
}

struct flock one_byte(off_t byte) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  return range;
}

pid_t holder_of(int fd, off_t byte) {
  struct flock range = one_byte(byte);
  const bool told = fcntl(fd, F_GETLK, &range) == 0 && range.l_type != F_UNLCK;
  return told ? std::max<pid_t>(range.l_pid, 0) : 0;
}

}  // namespace

std::map<std::string, std::size_t> finished_runs(const std::vector<Run>& runs, RunKind kind,
                                                 bool retry_failed) {
  std::map<std::string, std::size_t> done;
  for (const Run& run : runs) {
    const bool interrupted = std::holds_alternative<outcome::Interrupted>(run.outcome);
    if (run.context.kind != kind || interrupted) continue;
    if (has_laps(run.outcome) || !retry_failed) ++done[candidate_name(run.context)];
  }
  return done;
}

std::set<std::string> finished_candidates(const std::vector<Run>& runs, RunKind kind,
                                          bool retry_failed) {
  std::set<std::string> done;
  for (const auto& [name, count] : finished_runs(runs, kind, retry_failed)) done.insert(name);
  return done;
}

std::vector<std::size_t> random_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
  return order;
}

std::vector<ProbeRequest> remaining(const std::vector<RunContext>& candidates, const Sweep& sweep,
                                    const std::set<std::string>& done,
                                    const std::vector<PendingRun>& pending_runs,
                                    const std::function<ProbeRequest(RunContext)>& request) {
  auto under_way = run_ids_under_way(pending_runs, sweep);
  std::vector<ProbeRequest> requests;
  for (const std::size_t i : random_order(candidates.size(), std::stoull(sweep.id, nullptr, 16))) {
    if (done.contains(candidate_name(candidates[i]))) continue;
    RunContext context = candidates[i];
    context.sweep = sweep.id;
    ProbeRequest& next = requests.emplace_back(request(std::move(context)));
    const auto known = under_way.find({next.context.kind, candidate_name(next.context)});
    next.context.id = known != under_way.end() ? known->second : new_id();
    if (known != under_way.end()) under_way.erase(known);  // a repeat gets an id of its own
  }
  return requests;
}

std::vector<Run> newest_of_each(std::vector<Run> runs) {
  std::map<std::pair<RunKind, std::string>, std::size_t> newest;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool interrupted = std::holds_alternative<outcome::Interrupted>(runs[i].outcome);
    const auto [entry, is_new] =
        newest.try_emplace({runs[i].context.kind, candidate_name(runs[i].context)}, i);
    if (!is_new && !interrupted) entry->second = i;
  }
  std::vector<Run> result;
  for (const auto& [candidate, index] : newest) result.push_back(std::move(runs[index]));
  return result;
}

std::vector<RunContext> to_confirm(const std::vector<RunContext>& candidates,
                                   const std::vector<Run>& runs, std::size_t count,
                                   const std::function<Assessment(const Run&)>& forecast) {
  struct Probed {
    std::string candidate;
    Seconds time;
    Money cost;
  };
  std::map<std::string, int> probes;
  std::vector<Probed> probed;
  for (const Run& run : runs) {
    if (run.context.kind != RunKind::probe) continue;
    const Assessment assessment = forecast(run);
    const std::string name = candidate_name(run.context);
    if (!assessment.forecast || ++probes[name] > 1) continue;
    const Seconds time = assessment.forecast->total.mid;
    probed.push_back({name, time, cost_for_order(run, time)});
  }
  std::set<std::string> chosen;
  const auto take = [&](auto before) {
    std::stable_sort(probed.begin(), probed.end(), before);
    for (std::size_t i = 0; i < std::min(count, probed.size()); ++i)
      if (probes[probed[i].candidate] == 1) chosen.insert(probed[i].candidate);
  };
  take([](const Probed& a, const Probed& b) { return a.time < b.time; });
  take([](const Probed& a, const Probed& b) { return a.cost < b.cost; });
  std::vector<RunContext> result;
  for (const RunContext& candidate : candidates)
    if (chosen.contains(candidate_name(candidate))) result.push_back(candidate);
  return result;
}

FoundSweep find_or_begin(Store& store, const WantedSweep& wanted) {
  if (wanted.again) return begin(store, wanted);
  const std::vector<Sweep> known = known_sweeps(store, wanted);
  if (known.empty()) return begin(store, wanted);
  const auto same = std::find_if(known.rbegin(), known.rend(), [&](const Sweep& sweep) {
    return changed_since(sweep, wanted.program).empty();
  });
  if (same != known.rend() && (!wanted.keep || same == known.rbegin())) return {*same, {}};
  const Sweep& newest = known.back();
  const std::string what =
      fmt::format("the program changed since {} {}: {}", noun_of(wanted), newest.id,
                  short_list(changed_since(newest, wanted.program)));
  if (wanted.keep) return {newest, {what + "; going on with what was measured (--keep)"}};
  FoundSweep found = begin(store, wanted);
  found.said.insert(found.said.begin(),
                    what + "; measuring anew (--keep goes on with what was measured)");
  return found;
}

std::vector<std::string> changed_since(const Sweep& sweep, const ProgramContent& now) {
  const auto before = program_of_description(sweep.description);
  return before ? changed_files(*before, now) : std::vector<std::string>{};
}

std::string describe_sweep(const std::string& subject, const ProgramContent& program,
                           const std::string& typed) {
  nlohmann::json description{{"program", program}};
  if (!subject.empty()) description["subject"] = subject;
  if (!typed.empty()) description["typed"] = typed;
  return description.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string command_of_description(const std::string& description) {
  const auto json = nlohmann::json::parse(description, nullptr, false);
  return json.is_object() && json.contains("typed") && json["typed"].is_string()
             ? json["typed"].get<std::string>()
             : "";
}

std::optional<ProgramContent> program_of_description(const std::string& description) {
  const auto json = nlohmann::json::parse(description, nullptr, false);
  if (!json.is_object() || !json.contains("program") || !json["program"].is_object())
    return std::nullopt;
  ProgramContent program;
  for (const auto& [name, hash] : json["program"].items())
    if (hash.is_string()) program[name] = hash.get<std::string>();
  return program;
}

std::optional<SweepLock> SweepLock::acquire(const std::filesystem::path& store_file,
                                            const std::string& key, const OnWait& on_wait) {
  std::error_code error;
  const auto real = std::filesystem::canonical(store_file, error);
  const std::string file = (error ? store_file : real).string() + "-lock";
  SweepLock lock;
  lock.fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  const off_t byte = byte_of(key);
  while (true) {
    struct flock range = one_byte(byte);
    if (lock.fd_ >= 0 && fcntl(lock.fd_, F_SETLK, &range) == 0) return lock;
    if (lock.fd_ < 0 || (errno != EACCES && errno != EAGAIN && errno != EINTR)) {
      lock.why_not_held_ = Reason{fmt::format("{}: {}", printable(file), std::strerror(errno))};
      return lock;
    }
    if (!on_wait(holder_of(lock.fd_, byte))) return std::nullopt;
    usleep(100'000);
  }
}

SweepLock::SweepLock(SweepLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), why_not_held_(std::move(other.why_not_held_)) {}

SweepLock::~SweepLock() {
  if (fd_ >= 0) close(fd_);  // and with it the lock
}

}  // namespace lapcast
