#include "campaign/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "campaign/measuring_session.h"
#include "core/hash.h"
#include "fleet/candidates.h"
#include "forecast/learning_curve.h"
#include "history/assessment.h"
#include "probe/ids_and_time.h"
#include "query/forecast_run.h"
#include "query/rank_notes.h"
#include "query/rank_runs.h"
#include "query/sweep_state.h"
#include "run/attempts.h"
#include "run/run_cost.h"
#include "run/settings.h"

namespace lapcast {
namespace {

struct VerifiedCandidate {
  const Run* probe = nullptr;
  Assessment assessment;
  Assessment first_assessment;             // as if none of the shown runs to the end had been made
  std::vector<const Run*> real_runs = {};  // that ended by themselves, in the order of their start
  const Run* failed = nullptr;             // the newest run to the end that failed
};

/// Removes the imported runs and returns the candidates of their probes: they are not run, and no
/// imported run counts as a run to the end.
std::vector<RunContext> leave_out_imported(SelectedRuns& selected) {
  const auto imported = [](const Run& run) { return was_imported(run.context); };
  std::vector<RunContext> left_out;
  for (const Run& probe : selected.probes)
    if (imported(probe)) left_out.push_back(probe.context);
  std::erase_if(selected.probes, imported);
  std::erase_if(selected.runs, imported);
  selected.learned = learned_epochs(selected.runs);
  return left_out;
}

/// Forecasts what a run to the end can show: the learned number of epochs, else the program's own
/// plan, else what the probe was asked for.
Assessment forecast_to_the_end(const Run& probe, const LearnedBySettings& learned,
                               RunForecaster& forecaster) {
  const TrainingPlan plan = with_learned_epochs({}, probe, learned);
  Run by_itself = probe;
  by_itself.context.plan = {};
  Assessment own = forecaster.forecast(by_itself, plan);
  return own.forecast ? own : forecaster.forecast(probe, plan);
}

/// Finds the runs to the end of each candidate. A run that was cut off counts as failed if it was
/// `begun` now, and is ignored otherwise, because it may go on.
void attach_full_runs(std::vector<VerifiedCandidate>& candidates, const std::vector<Run>& runs,
                      const std::set<std::string>& begun = {}) {
  std::map<CandidateKey, VerifiedCandidate*> by_key;
  for (VerifiedCandidate& candidate : candidates) {
    candidate.real_runs.clear();
    candidate.failed = nullptr;
    by_key[candidate_key(candidate.probe->context)] = &candidate;
  }
  for (const Run& run : runs) {
    const bool has_failed =
        std::holds_alternative<outcome::NotEnded>(run.outcome) && begun.contains(run.context.id);
    if (run.context.kind != RunKind::full || (was_cut_off(run.outcome) && !has_failed) ||
        is_later_session(run))
      continue;
    const auto found = by_key.find(candidate_key(run.context));
    if (found == by_key.end()) continue;
    if (std::holds_alternative<outcome::Ended>(run.outcome))
      found->second->real_runs.push_back(&run);
    else
      found->second->failed = &run;
  }
}

ProbeBill bill_of(const SelectedRuns& selected) {
  ProbeBill bill;
  for (const Run& run : selected.runs) {
    if (run.context.kind == RunKind::full) continue;
    if (const auto cost = cost_of_run(run, selected.offers)) {
      bill.total = saturating_sum(bill.total, *cost);
      ++bill.probes;
    }
  }
  return bill;
}

/// Returns the bill for that time of the run, or why it has none; nothing if the run has no price.
std::optional<Result<Quote>> quote_of(const Run& run, const Interval<Seconds>& time,
                                      const std::vector<Offer>& offers) {
  const Offer* offer = offer_of(run, offers);
  if (offer == nullptr) return std::nullopt;
  return quote(*offer, time);
}

/// Returns a run to the end, which costs what its candidate's probe is priced by.
RealRun real_run_of(const Run& run, const Run& probe, std::int64_t epochs,
                    const std::vector<Offer>& offers) {
  RealRun real{run.context.id, run.context.started_at, real_time(run, epochs)};
  if (const auto cost = cost_of_time(probe, real.time + lost_work(run), offers)) real.cost = *cost;
  if (const auto best = best_metric(*laps_of(run), "val_accuracy")) real.accuracy = best->value;
  return real;
}

VerifiedForecast row_of(const VerifiedCandidate& candidate, const std::vector<Offer>& offers) {
  const RunContext& context = candidate.probe->context;
  const TrainingPlan& plan = *candidate.assessment.plan;
  VerifiedForecast row{.machine_type = context.machine_type.name,
                       .settings = settings_text(context),
                       .epochs = plan.epochs - plan.epochs_done,
                       .forecast = candidate.assessment.forecast->total};
  if (const auto bill = quote_of(*candidate.probe, row.forecast, offers)) {
    row.price_per_hour = offer_of(*candidate.probe, offers)->price.per_hour;
    if (*bill)
      row.forecast_cost = (*bill)->total;
    else
      row.reason = "no forecast cost: " + bill->error().text;
  }
  for (const Run* run : candidate.real_runs)
    row.real_runs.push_back(real_run_of(*run, *candidate.probe, row.epochs, offers));
  return row;
}

class Verification {
 public:
  Verification(const VerifyRequest& request, SelectedRuns selected, const Store& store)
      : request_(request), selected_(std::move(selected)) {
    result_.sweep = selected_.sweep;
    result_.program = selected_.probes.front().context.program;
    result_.candidates = selected_.probes.size();
    result_.imported = leave_out_imported(selected_);
    forecast(store);
    result_.bill = bill_of(selected_);
  }

  const SelectedRuns& selected() const { return selected_; }

  bool is_empty() const { return candidates_.empty(); }

  /// Returns the runs to the end that are still to be made: in each round one of each candidate, in
  /// random order. Rounds without runs are left out.
  std::vector<std::vector<ProbeRequest>> rounds() {
    const std::set<const Run*> wanted = this->wanted();
    std::size_t made = 0;  // in how many earlier rounds
    for (const VerifiedCandidate& candidate : candidates_)
      made = std::max(made, candidate.real_runs.size());
    std::vector<std::vector<ProbeRequest>> rounds;
    for (std::size_t round = 0; round < request_.repeats; ++round) {
      const std::uint64_t seed = seed_of(request_.again ? made + round : round);
      std::vector<ProbeRequest> requests;
      for (const std::size_t i : random_order(candidates_.size(), seed)) {
        const VerifiedCandidate& candidate = candidates_[i];
        const bool is_made = !request_.again && round < candidate.real_runs.size();
        if (is_made || !wanted.contains(candidate.probe)) continue;
        requests.push_back(request_for(*candidate.probe));
        begun_.insert(requests.back().context.id);
      }
      if (!requests.empty()) rounds.push_back(std::move(requests));
    }
    return rounds;
  }

  /// Returns the result; `now` is the selection after the campaign.
  VerifyResult result(SelectedRuns now, const CampaignResult& campaign) {
    leave_out_imported(now);
    attach_full_runs(candidates_, now.runs, begun_);
    for (const VerifiedCandidate& candidate : candidates_) {
      result_.rows.push_back(row_of(candidate, now.offers));
      const std::string why = why_failed(candidate);
      if (!why.empty()) result_.rows.back().reason = why;
    }
    result_.any_failed = campaign.failed > 0;
    result_.interrupted = campaign.interrupted;
    return std::move(result_);
  }

  const std::vector<RunContext>& imported() const { return result_.imported; }

 private:
  /// Forecasts each candidate as `rank` does, and once more without its earlier runs to the end.
  void forecast(const Store& store) {
    RunForecaster all(store);
    for (const Run& probe : selected_.probes) {
      const Assessment own = forecast_to_the_end(probe, selected_.learned, all);
      candidates_.push_back({&probe, own, own});
    }
    attach_full_runs(candidates_, selected_.runs);
    std::set<std::string> shown;
    for (const VerifiedCandidate& candidate : candidates_)
      for (const Run* run : candidate.real_runs) shown.insert(run->context.id);
    RunForecaster without_shown(store, shown);
    for (VerifiedCandidate& candidate : candidates_) {
      if (shown.empty()) break;
      candidate.first_assessment =
          forecast_to_the_end(*candidate.probe, selected_.learned, without_shown);
      if (!candidate.real_runs.empty()) candidate.assessment = candidate.first_assessment;
    }
    std::erase_if(candidates_, [](const VerifiedCandidate& candidate) {
      return !candidate.assessment.forecast || !candidate.first_assessment.forecast;
    });
  }

  ProbeRequest request_for(const Run& probe) const {
    RunContext context = probe.context;
    context.id = new_id();
    context.kind = RunKind::full;
    context.start = StartKind::unknown;  // until it is started
    ProbeRequest request = request_.start(std::move(context));
    request.limits.to_the_end = true;
    request.place_setup = request_.place(probe);
    return request;
  }

  /// Returns a number that depends only on the stored probes and the round.
  std::uint64_t seed_of(std::size_t round) const {
    Fnv1a hash;
    for (const Run& probe : selected_.probes) hash.add(probe.context.id);
    hash.add_unit(round);
    return hash.value();
  }

  /// Returns why the candidate has no real run, or why a run that this command began failed; else
  /// an empty text.
  std::string why_failed(const VerifiedCandidate& candidate) const {
    if (candidate.failed == nullptr) return "";
    const std::string why = describe(candidate.failed->outcome);
    if (candidate.real_runs.empty()) return why;
    return begun_.contains(candidate.failed->context.id) ? "one run: " + why : "";
  }

  /// Returns the probes of the first candidates by forecast cost and by forecast time. Runs to the
  /// end do not change this order, so that the same command does not begin other ones.
  std::set<const Run*> wanted() const {
    std::vector<std::tuple<Seconds, std::size_t>> by_time;
    std::vector<std::tuple<bool, Money, Seconds, std::size_t>> by_cost;  // those with a cost first
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Interval<Seconds>& time = candidates_[i].first_assessment.forecast->total;
      const auto bill = quote_of(*candidates_[i].probe, time, selected_.offers);
      const bool has_cost = bill && *bill;
      by_time.emplace_back(time.mid, i);
      by_cost.emplace_back(!has_cost, has_cost ? (*bill)->total.mid : Money(), time.mid, i);
    }
    std::ranges::sort(by_time);
    std::ranges::sort(by_cost);
    std::set<const Run*> result;
    for (std::size_t i = 0; i < by_time.size() && (request_.all || i < request_.top); ++i) {
      result.insert(candidates_[std::get<1>(by_time[i])].probe);
      result.insert(candidates_[std::get<3>(by_cost[i])].probe);
    }
    return result;
  }

  const VerifyRequest& request_;
  SelectedRuns selected_;
  std::vector<VerifiedCandidate> candidates_;
  std::set<std::string> begun_;  // ids of the runs to the end that rounds() returned
  VerifyResult result_;
};

/// Makes the runs of one round after the other, until the user interrupts.
CampaignResult run_each_round(std::vector<std::vector<ProbeRequest>> rounds,
                              MeasuringSession& session) {
  if (rounds.empty()) rounds.emplace_back();  // leftovers on remote machines are removed in it
  CampaignResult all;
  for (std::size_t i = 0; i < rounds.size() && !all.interrupted; ++i) {
    std::string what = "running to the end";
    if (rounds.size() > 1) what += fmt::format(", round {} of {}", i + 1, rounds.size());
    const CampaignResult one = session.run(what, std::move(rounds[i]));
    all.finished += one.finished;
    all.failed += one.failed;
    all.interrupted = one.interrupted;
  }
  return all;
}

}  // namespace

VerifyResult verify(VerifyRequest request, const MeasuringTools& tools) {
  // The sweep is named now, because another one may be the newest after the wait.
  Store& store = tools.store;
  request.selection.sweep = selected_sweep(store, request.selection);
  MeasuringSession session(tools,
                           tools.lock("verify " + request.selection.sweep, "these candidates"),
                           request.run_parent);
  Verification verification(request, select_runs(store, request.selection), store);
  const SelectedRuns& selected = verification.selected();
  for (const auto& lines : {selected.warnings, selected.price_notes})
    for (const std::string& line : lines) tools.listener.warn(line);
  if (verification.is_empty()) {
    if (verification.imported().empty())
      throw Error(ExitCode::some_failed, "no probe has a forecast to verify; see lapcast rank");
    return {.imported = verification.imported()};
  }
  for (const std::string& line : program_changes(store, verification.selected().probes))
    tools.listener.warn(line);
  auto rounds = verification.rounds();
  if (request.before_runs) request.before_runs();
  if (tools.supply != nullptr) tools.supply->begin("verify " + request.selection.sweep, true);
  const CampaignResult campaign = run_each_round(std::move(rounds), session);
  if (tools.supply != nullptr) tools.supply->finish();
  return verification.result(select_runs(store, request.selection), campaign);
}

VerifyResult verified_so_far(const Store& store, const SelectedRuns& selected) {
  const VerifyRequest nothing;
  VerifyResult result = Verification(nothing, selected, store).result(selected, {});
  std::erase_if(result.rows, [](const VerifiedForecast& row) { return row.real_runs.empty(); });
  return result;
}

}  // namespace lapcast
