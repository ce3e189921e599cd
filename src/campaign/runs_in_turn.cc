#include "campaign/runs_in_turn.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fleet/candidates.h"
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

RepeatedCandidate next_run(const TurnsRequest& request, const RunContext& context, const Sweep& set,
                           std::vector<double> known) {
  ProbeRequest probe = request.probe;
  probe.context = context;
  probe.context.sweep = set.id;
  probe.context.id = new_id();
  probe.context.start = StartKind::warm;
  return {std::move(probe), std::move(known)};
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
    std::vector<RepeatedCandidate> candidates{
        next_run(request, request.base, set, std::move(known[0])),
        next_run(request, request.other, set, std::move(known[1]))};
    const RepeatsResult repeats =
        session.repeat("in turn", std::move(candidates),
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
