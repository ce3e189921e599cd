#include "campaign/runs_in_turn.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fleet/candidates.h"
#include "query/sweep_state.h"
#include "rank/tuning.h"

namespace lapcast {
namespace {

using BothTimes = std::array<std::vector<double>, 2>;  // of the base, of the other

/// Returns the times of the runs of a set, in the order of their starts.
BothTimes times_of_set(const TurnsRequest& request, const Sweep& set,
                       const MeasuringSession& session) {
  const std::array names{candidate_name(request.base), candidate_name(request.other)};
  BothTimes times;
  for (const Run& run : session.runs_of(set))
    for (std::size_t i = 0; i < names.size(); ++i)
      if (candidate_name(run.context) == names[i])
        if (const auto time = request.time(run)) times[i].push_back(*time);
  return times;
}

/// Returns the next runs of both candidates, the base first.
std::vector<RepeatedCandidate> next_runs(const TurnsRequest& request, const Sweep& set,
                                         BothTimes known) {
  const auto probe_of = [&](RunContext context) {
    ProbeRequest probe = request.probe;
    probe.context = std::move(context);
    probe.context.start = StartKind::warm;
    return probe;
  };
  std::vector<RepeatedCandidate> candidates(2);
  for (ProbeRequest& probe :
       remaining({request.base, request.other}, set, {}, request.pending, probe_of)) {
    const std::size_t i = candidate_name(probe.context) == candidate_name(request.base) ? 0 : 1;
    candidates[i] = {.request = std::move(probe), .values = std::move(known[i])};
  }
  return candidates;
}

}  // namespace

TurnsFindings run_in_turn(const TurnsRequest& request, Sweep set, MeasuringSession& session) {
  const std::size_t most = request.repeats;
  BothTimes known = times_of_set(request, set, session);
  std::size_t left = 2 * most;
  for (const auto& times : known) left -= std::min(most, times.size());
  TurnsFindings found;
  if (left > 0) {
    if (!request.can_pay(left)) return {.reason = "the search budget is spent", .cannot_pay = true};
    const RepeatsResult repeats =
        session.repeat("in turn", next_runs(request, set, std::move(known)),
                       {.at_least = most, .precision = 1e9, .most = most}, 0, request.time);
    for (const std::string& reason : repeats.reasons)
      if (!reason.empty()) found.reason = reason;
    known = times_of_set(request, set, session);
  }
  found.pairs = std::min(known[0].size(), known[1].size());
  if (found.pairs >= most) {
    found.ratio = ratio_of_pairs(known[1], known[0]);
    found.reason.clear();
  }
  session.save(set, found.ratio.has_value());
  return found;
}

}  // namespace lapcast
