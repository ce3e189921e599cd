#include "fleet/sweep_state.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <variant>

#include "choose/assessment.h"
#include "fleet/candidates.h"
#include "probe/ids_and_time.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

using KindAndCandidate = std::pair<RunKind, std::string>;

/// Returns the run ids of the sweep's pending runs.
std::map<KindAndCandidate, std::string> run_ids_under_way(
    const std::vector<PendingRun>& pending_runs, const Sweep& sweep) {
  std::map<KindAndCandidate, std::string> ids;
  for (const PendingRun& pending_run : pending_runs) {
    if (pending_run.sweep != sweep.id || pending_run.purpose == kRemoval) continue;
    const Result<RemoteRequest> request = remote_request_from_json(pending_run.request);
    if (!request) continue;
    const RunContext& context = request->probe.context;
    ids[{context.kind, candidate_name(context)}] = pending_run.id;
  }
  return ids;
}

/// Returns the cost to order runs by: all are alike without a price, and what cannot be priced
/// comes last.
Money cost_for_order(const Run& run, Seconds time) {
  if (!run.context.price) return Money{};
  return cost_of_time(run, time, {}).value_or(Money::from_nanos(INT64_MAX));
}

}  // namespace

std::set<std::string> finished_candidates(const std::vector<Run>& runs, RunKind kind,
                                          bool retry_failed) {
  std::set<std::string> done;
  for (const Run& run : runs) {
    const bool interrupted = std::holds_alternative<outcome::Interrupted>(run.outcome);
    if (run.context.kind != kind || interrupted) continue;
    if (has_laps(run.outcome) || !retry_failed) done.insert(candidate_name(run.context));
  }
  return done;
}

std::vector<ProbeRequest> remaining(const std::vector<RunContext>& candidates, const Sweep& sweep,
                                    const std::set<std::string>& done,
                                    const std::vector<PendingRun>& pending_runs,
                                    const std::function<ProbeRequest(RunContext)>& request) {
  std::vector<RunContext> order = candidates;
  std::mt19937_64 generator(std::stoull(sweep.id, nullptr, 16));
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
  const auto under_way = run_ids_under_way(pending_runs, sweep);
  std::vector<ProbeRequest> requests;
  for (RunContext& context : order) {
    if (done.contains(candidate_name(context))) continue;
    context.sweep = sweep.id;
    ProbeRequest& next = requests.emplace_back(request(std::move(context)));
    const auto known = under_way.find({next.context.kind, candidate_name(next.context)});
    next.context.id = known != under_way.end() ? known->second : new_id();
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

}  // namespace lapcast
