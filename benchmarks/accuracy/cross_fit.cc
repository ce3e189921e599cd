#include "accuracy/cross_fit.h"

#include <fmt/format.h>

#include <map>

#include "accuracy/ours.h"
#include "stats/intervals.h"

namespace lapcast::accuracy {
namespace {

/// Holds, for each submitter, the outcomes of the others' runs and of its own.
struct Histories {
  std::map<std::string, History> others;
  std::map<std::string, History> own;
};

Histories histories_of(const std::vector<Probe>& probes) {
  std::map<std::string, std::vector<PastForecast>> own;
  for (const Probe& probe : probes) {
    auto& past_forecasts = own[probe.run->submitter];
    if (!probe.further_phases.empty()) continue;  // its profile is of the first phase only
    if (auto past_forecast = past_forecast_of(probe))
      past_forecasts.push_back(*std::move(past_forecast));
  }
  Histories histories;
  for (const auto& [submitter, past_forecasts] : own) {
    std::vector<PastForecast> others;
    for (const auto& [other, theirs] : own) {
      if (other != submitter) others.insert(others.end(), theirs.begin(), theirs.end());
    }
    histories.others.emplace(submitter, std::move(others));
    histories.own.emplace(submitter, past_forecasts);
  }
  return histories;
}

Judgement judgement_of(const Probe& probe) {
  Judgement judgement;
  judgement.run = probe.run->id;
  judgement.submitter = probe.run->submitter;
  judgement.benchmark = probe.run->benchmark;
  judgement.groups = probe.groups;
  judgement.seen = probe.seen;
  judgement.units = probe.run->units;
  judgement.stopped = probe.stopped;
  judgement.real = probe.run->total;
  judgement.papers = probe.papers;
  return judgement;
}

/// Returns the forecast of all phases. Phases use no history: what other entries did in their
/// phases says nothing about this one's.
Result<Interval<Seconds>> total_of(const Probe& probe, const History& history) {
  auto total = ours(probe, probe.further_phases.empty() ? history : History{});
  for (const Probe& phase : probe.further_phases) {
    const auto more = ours(phase, {});
    if (!total || !more) return total ? more : total;
    *total = *total + *more;
  }
  return total;
}

}  // namespace

std::vector<Judgement> judge(const std::vector<Probe>& probes, Dropped& missed) {
  const Histories histories = histories_of(probes);
  const History nothing;
  std::vector<Judgement> judgements;
  for (const Probe& probe : probes) {
    const std::string& submitter = probe.run->submitter;
    for (const Fit fit : {Fit::others, Fit::none, Fit::own}) {
      const auto total = total_of(probe, fit == Fit::none     ? nothing
                                         : fit == Fit::others ? histories.others.at(submitter)
                                                              : histories.own.at(submitter));
      Judgement& judged = judgements.emplace_back(judgement_of(probe));
      judged.fit = fit;
      if (total)
        judged.ours = *total;
      else if (fit == Fit::others)
        missed.add(
            fmt::format("after {}: no forecast of ours: {}", probe.seen, total.error().text));
    }
  }
  return judgements;
}

}  // namespace lapcast::accuracy
