#include "app/verify.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "app/forecast_run.h"
#include "app/rank_runs.h"
#include "choose/assessment.h"
#include "fleet/campaign.h"
#include "fleet/candidates.h"
#include "forecast/learning_curve.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

/// One candidate with its forecast, and its run to the end once there is one.
struct VerifiedCandidate {
  const Run* probe = nullptr;
  Assessment assessment;
  Assessment first_assessment;  // as if none of the shown runs to the end had been made
  const Run* full = nullptr;
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
/// plan, and only where the program reports none, what the probe was asked for.
Assessment forecast_to_the_end(const Run& probe, const LearnedBySettings& learned,
                               RunForecaster& forecaster) {
  const RequestedPlan plan = with_learned_epochs({}, probe, learned);
  Run by_itself = probe;
  by_itself.context.plan = {};
  Assessment own = forecaster.forecast(by_itself, plan);
  return own.forecast ? own : forecaster.forecast(probe, plan);
}

/// Finds the newest run to the end of each candidate.
void attach_full_runs(std::vector<VerifiedCandidate>& candidates, const std::vector<Run>& runs,
                      bool only_successful) {
  const auto key = [](const RunContext& context) {
    return std::pair(candidate_name(context), context.program);
  };
  std::map<std::pair<std::string, std::vector<std::string>>, const Run*> newest;
  for (const Run& run : runs) {
    const bool ended = std::holds_alternative<outcome::Ended>(run.outcome);
    const bool interrupted = std::holds_alternative<outcome::Interrupted>(run.outcome);
    if (run.context.kind != RunKind::full || interrupted || (only_successful && !ended)) continue;
    const Run*& entry = newest[key(run.context)];
    if (entry == nullptr || entry->context.started_at <= run.context.started_at) entry = &run;
  }
  for (VerifiedCandidate& candidate : candidates) {
    const auto found = newest.find(key(candidate.probe->context));
    candidate.full = found == newest.end() ? nullptr : found->second;
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

/// Returns the bill of so much time of the run, or why it has none; nothing where the run has no
/// price.
std::optional<Result<Quote>> quote_of(const Run& run, const Interval<Seconds>& time,
                                      const std::vector<Offer>& offers) {
  const Offer* offer = offer_of(run, offers);
  if (offer == nullptr) return std::nullopt;
  return quote(*offer, time);
}

VerifiedForecast row_of(const VerifiedCandidate& candidate, const std::vector<Offer>& offers) {
  const RunContext& context = candidate.probe->context;
  VerifiedForecast row{.machine_type = context.machine_type.name,
                       .settings = settings_text(context),
                       .epochs = candidate.assessment.plan->epochs,
                       .forecast = candidate.assessment.forecast->total};
  if (const auto bill = quote_of(*candidate.probe, row.forecast, offers)) {
    row.price_per_hour = offer_of(*candidate.probe, offers)->price.per_hour;
    if (*bill)
      row.forecast_cost = (*bill)->total;
    else
      row.reason = "no forecast cost: " + bill->error().text;
  }
  if (candidate.full == nullptr) return row;
  const Run& full = *candidate.full;
  if (!std::holds_alternative<outcome::Ended>(full.outcome)) {
    row.reason = describe(full.outcome);
    return row;
  }
  row.real = real_time(full, row.epochs);
  if (const auto cost = cost_of_time(full, *row.real, offers)) row.real_cost = *cost;
  if (const auto best = best_metric(laps_of(full), "val_accuracy")) row.accuracy = best->value;
  return row;
}

/// Verifies the candidates of one selection.
class Verification {
 public:
  Verification(const VerifyRequest& request, SelectedRuns selected, const Store& store)
      : request_(request), selected_(std::move(selected)) {
    result_.imported = leave_out_imported(selected_);
    forecast(store);
    result_.bill = bill_of(selected_);
  }

  const SelectedRuns& selected() const { return selected_; }

  bool is_empty() const { return candidates_.empty(); }

  /// Returns the runs to the end that are still to be made, in random order.
  std::vector<ProbeRequest> requests() const {
    const std::set<const Run*> wanted = this->wanted();
    std::vector<ProbeRequest> requests;
    for (const VerifiedCandidate& candidate : candidates_) {
      if (!wanted.contains(candidate.probe) || is_verified(candidate)) continue;
      RunContext context = candidate.probe->context;
      context.id = new_id();
      context.kind = RunKind::full;
      context.start = StartKind::warm;  // its probe ran before
      ProbeRequest request = request_.start(std::move(context));
      request.limits.to_the_end = true;
      request.place_setup = request_.place(*candidate.probe);
      requests.push_back(std::move(request));
    }
    std::mt19937_64 generator(random_seed());
    std::shuffle(requests.begin(), requests.end(), generator);
    return requests;
  }

  /// Returns the result; `now` is the selection after the campaign.
  VerifyResult result(SelectedRuns now, const CampaignResult& campaign) {
    leave_out_imported(now);
    attach_full_runs(candidates_, now.runs, false);
    for (const VerifiedCandidate& candidate : candidates_)
      result_.rows.push_back(row_of(candidate, now.offers));
    result_.any_failed = campaign.failed > 0;
    result_.interrupted = campaign.interrupted;
    return std::move(result_);
  }

  const std::vector<RunContext>& imported() const { return result_.imported; }

 private:
  /// Forecasts each candidate as `rank` does, and so that its run to the end, if there is one
  /// already, teaches nothing.
  void forecast(const Store& store) {
    RunForecaster all(store);
    for (const Run& probe : selected_.probes) {
      const Assessment own = forecast_to_the_end(probe, selected_.learned, all);
      candidates_.push_back({&probe, own, own, nullptr});
    }
    attach_full_runs(candidates_, selected_.runs, true);
    std::set<std::string> shown;
    for (const VerifiedCandidate& candidate : candidates_)
      if (is_verified(candidate)) shown.insert(candidate.full->context.id);
    RunForecaster without_shown(store, shown);
    for (VerifiedCandidate& candidate : candidates_) {
      if (shown.empty()) break;
      candidate.first_assessment =
          forecast_to_the_end(*candidate.probe, selected_.learned, without_shown);
      if (is_verified(candidate)) candidate.assessment = candidate.first_assessment;
    }
    std::erase_if(candidates_, [](const VerifiedCandidate& candidate) {
      return !candidate.assessment.forecast || !candidate.first_assessment.forecast;
    });
  }

  bool is_verified(const VerifiedCandidate& candidate) const {
    return candidate.full != nullptr && !request_.again;
  }

  /// Returns the probes of the first candidates by forecast cost and by forecast time. Runs to the
  /// end do not change this order, so that the same command does not begin others.
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
  VerifyResult result_;
};

}  // namespace

VerifyResult verify(VerifyRequest request, const MeasuringTools& tools) {
  // The sweep is named now, because another one may be the newest after the wait.
  Store& store = tools.store;
  if (request.selection.sweep.empty())
    if (const auto newest = store.newest_sweep()) request.selection.sweep = newest->id;
  const auto lock = tools.lock("verify " + request.selection.sweep, "these candidates");
  if (!lock) throw Error(ExitCode::interrupted, "interrupted; nothing was started");
  Verification verification(request, select_runs(store, request.selection), store);
  for (const std::string& line : verification.selected().warnings) tools.listener.warn(line);
  if (verification.is_empty()) {
    if (verification.imported().empty())
      throw Error(ExitCode::some_failed, "no probe has a forecast to verify; see lapcast rank");
    return {.imported = verification.imported()};
  }
  for (const std::string& line : program_changes(store, verification.selected().probes))
    tools.listener.warn(line);
  std::vector<ProbeRequest> requests = verification.requests();
  remove_leftovers(store, tools.executor);
  tools.listener.start("running to the end", requests.size());
  const CampaignResult campaign = tools.run(std::move(requests));
  tools.listener.end();
  return verification.result(select_runs(store, request.selection), campaign);
}

}  // namespace lapcast
