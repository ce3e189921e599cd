#include "campaign/race_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "price/quote.h"
#include "probe/orders.h"
#include "query/race_history.h"
#include "rank/race.h"
#include "run/race_outcomes.h"
#include "run/run_cost.h"

namespace lapcast {
namespace {

std::vector<RaceCandidate> race_candidates_of(const std::vector<ProbeRequest>& requests,
                                              const RaceRequest& order) {
  std::vector<RaceCandidate> candidates;
  for (const ProbeRequest& request : requests) {
    candidates.push_back(order.baseline ? race_candidate_beside(request.context, *order.baseline)
                                        : race_candidate_of(request.context, order.same_epochs));
    candidates.back().in_one_piece = is_raced_in_one_piece(request);
  }
  return candidates;
}

/// Runs the rounds that a Race asks for.
class RacePolicy : public CampaignPolicy {
 public:
  RacePolicy(Campaign& campaign, const RaceRequest& order, const RunAssessor& assessor)
      : campaign_(campaign),
        order_(order),
        assessor_(assessor),
        race_(race_candidates_of(campaign.requests(), order), order.goal, order.confidence),
        entries_(race_.size()) {}

  /// Takes over the earlier runs of this race.
  void remember(std::span<const Run> earlier) {
    for (Index i = 0; i < entries_.size(); ++i)
      remember(i, history_of(campaign_.request(i).context, earlier));
  }

  void start_what_can_run() override {
    if (!is_over() && is_budget_spent()) end_at_budget();
    if (is_over()) return;
    for (const Index i : race_.order()) {
      const State state = entries_[i].state;
      if (state == State::running || state == State::ending || !campaign_.may_run(i)) continue;
      if (state == State::suspended)
        go_on(i);
      else if (!is_one_by_one(i) || held_at_place_of(i).empty())
        start(i);
    }
  }

  void take_so_far(Index i, Run run) override {
    Entry& entry = entries_[i];
    if (entry.state != State::running) return;
    entry.state = State::suspended;
    campaign_.leave_hardware(i);
    judge_by(i, run);
    entry.held = held_memory_of(run);
    if (entry.state == State::suspended && !is_over() && !may_stay_suspended(i)) go_on(i);
  }

  void take_run(Index i, const Run& run) override {
    Entry& entry = entries_[i];
    entry.state = State::idle;
    spend(run);
    if (!is_one_by_one(i) && is_crowded_out(run, held_at_place_of(i))) {
      one_by_one_.insert(describe(campaign_.place_of(i)));
      return;  // it is started again once the suspended ones have ended
    }
    const RaceState state = race_.standing(i).state;
    const bool is_out = state == RaceState::out;
    const bool is_settled = is_out || state == RaceState::decided;
    if (!std::holds_alternative<outcome::Interrupted>(run.outcome)) {
      if (has_laps(run.outcome))
        is_settled ? void(entry.best = run) : judge_by(i, run);
      else if (!is_out && !is_unfinished_in_race(run.outcome))
        fail(i, run);
    }
    if (!is_unfinished_in_race(run.outcome)) campaign_.show(run);
  }

  /// Ends suspended programs so that they keep their laps, and interrupts running ones.
  bool end_at_interrupt(bool first) override {
    for (Index i = 0; first && i < entries_.size(); ++i)
      end(i, entries_[i].state == State::suspended ? order_line(end_of_round()) : "stop");
    return !first;
  }

  bool wants(Index i) const override {
    return entries_[i].state != State::idle || (!is_over() && race_.goes_on(i));
  }

  CampaignProgress progress() const override {
    CampaignProgress progress{0, entries_.size(), 0, std::nullopt, {}};
    for (Index i = 0; i < entries_.size(); ++i) {
      if (!race_.goes_on(i)) ++progress.done;
      if (race_.standing(i).state == RaceState::failed) ++progress.failed;
      if (entries_[i].state == State::running) progress.running.push_back(campaign_.under_way(i));
    }
    return progress;
  }

  RaceResult take_result() {
    for (Index i = 0; i < entries_.size(); ++i)
      result_.rows.push_back({race_.candidate(i), race_.standing(i), std::move(entries_[i].best)});
    result_.interrupted = campaign_.was_interrupted();
    return std::move(result_);
  }

 private:
  enum class State { idle, running, suspended, ending };
  struct Entry {
    State state = State::idle;
    std::size_t attempts = 0;      // runs that were started
    bool has_new_run = false;      // this command has started it
    std::optional<Run> best = {};  // the run that it is judged by
    HeldMemory held = {};          // by its program while it is suspended
  };

  void remember(Index i, const RaceRuns& history) {
    Entry& entry = entries_[i];
    entry.attempts = history.runs.size();
    for (const Run* run : history.runs) spend(*run);
    if (const Run* best = history.best()) entry.best = *best;
    if (history.runs.empty()) return;
    const Outcome& last = history.runs.back()->outcome;
    const Run& judged = entry.best ? *entry.best : *history.runs.back();
    if (const auto why = why_out_of_race(last)) return race_.put_out(i, observe(i, judged), *why);
    if (entry.best) return race_.report(i, observe(i, judged));
    if (!is_unfinished_in_race(last) && !order_.retry_failed) race_.fail(i, describe(last));
  }

  bool is_over() const {
    return order_.finished || campaign_.was_interrupted() || result_.budget_spent;
  }
  const std::optional<Offer>& price_of(Index i) const { return race_.candidate(i).price; }

  // Observations

  RaceObservation observe(Index i, const Run& run) const {
    const bool measured =
        has_laps(run.outcome) && (order_.finished || !is_unfinished_in_race(run.outcome));
    return observation_of(run, assessor_(run), race_, entries_[i].attempts, measured);
  }

  /// Judges a candidate by a run, unless an earlier one has more laps and so says more.
  void judge_by(Index i, const Run& run) {
    Entry& entry = entries_[i];
    const RaceObservation observed = observe(i, run);
    const std::int64_t known = race_.standing(i).observed.laps;
    if (!observed.measured && entry.best && observed.laps < known) return;
    entry.best = run;
    race_.report(i, observed);
    end_the_decided();
  }

  void fail(Index i, const Run& run) {
    race_.fail(i, describe(run.outcome));
    end_the_decided();
  }

  void end_the_decided() {
    for (Index i = 0; i < entries_.size(); ++i) {
      const RaceStanding& standing = race_.standing(i);
      if (standing.state == RaceState::out) end(i, order_line(out_of_race(standing.reason)));
      if (standing.state == RaceState::decided) end(i, order_line(decided_in_race()));
      if (standing.state == RaceState::measured) end(i, order_line(settled_in_race()));
    }
  }

  // Money and time

  void spend(const Run& run) {
    time_spent_ += run.wall();
    if (const auto cost = cost_of_run(run, {})) money_spent_ = saturating_sum(money_spent_, *cost);
  }

  bool is_budget_spent() const {
    Seconds time = time_spent_;
    Money money = money_spent_;
    for (const auto& [ticket, i] : campaign_.running()) {
      const Seconds elapsed = campaign_.progress_of(i).elapsed;
      time += elapsed;
      if (!price_of(i)) continue;
      if (const auto bill = quote(*price_of(i), Interval<Seconds>::exactly(elapsed)))
        money = saturating_sum(money, bill->total.mid);
    }
    return (order_.budget.money && money >= *order_.budget.money) ||
           (order_.budget.time && time >= *order_.budget.time);
  }

  void end_at_budget() {
    result_.budget_spent = true;
    for (Index i = 0; i < entries_.size(); ++i) end(i, order_line(end_of_budget()));
  }

  // Rounds

  void start(Index i) {
    Entry& entry = entries_[i];
    ProbeRequest& request = campaign_.request(i);
    // The first run of a candidate may have been begun by an earlier command, under the id that its
    // request has.
    if (entry.has_new_run) request.context.id = new_id();
    request.round = race_.next_round(i);
    ++entry.attempts;
    ++result_.rounds;
    entry.has_new_run = true;
    entry.state = State::running;
    campaign_.start(i);
  }

  void go_on(Index i) {
    ++result_.rounds;
    entries_[i].state = State::running;
    campaign_.take_hardware(i);
    campaign_.order(i, order_line(race_.next_round(i)));
  }

  void end(Index i, const std::string& order) {
    Entry& entry = entries_[i];
    if (entry.state != State::running && entry.state != State::suspended) return;
    entry.state = State::ending;
    campaign_.take_hardware(i);
    campaign_.order(i, order);
  }

  /// Returns whether a suspended program may wait for its turn: it must hold no nodes of a cluster
  /// meanwhile, and leave the others enough memory.
  bool may_stay_suspended(Index i) const {
    return !is_one_by_one(i) && !race_.candidate(i).in_one_piece &&
           fit_beside_others(held_at_place_of(i));
  }

  bool is_one_by_one(Index i) const {
    return one_by_one_.contains(describe(campaign_.place_of(i)));
  }

  std::vector<const HeldMemory*> held_at_place_of(Index i) const {
    return campaign_.held_at_place_of(i, [this](Index other) {
      return entries_[other].state == State::suspended ? &entries_[other].held : nullptr;
    });
  }

  Campaign& campaign_;
  const RaceRequest& order_;
  const RunAssessor& assessor_;
  Race race_;
  std::vector<Entry> entries_;
  RaceResult result_;
  /// Holds the hosts where a program lacked GPU memory beside suspended ones. There the suspended
  /// ones are probed to their end, and no program starts beside another.
  std::set<std::string> one_by_one_;
  Money money_spent_;
  Seconds time_spent_{0};
};

}  // namespace

bool is_raced_in_one_piece(const ProbeRequest& request) {
  return !can_suspend(request.place_setup.place);
}

RaceResult run_race(std::vector<ProbeRequest> requests, const RaceRequest& order,
                    std::span<const Run> earlier, const RunAssessor& assessor,
                    CampaignTools tools) {
  Campaign campaign(std::move(requests), std::move(tools));
  RacePolicy policy(campaign, order, assessor);
  policy.remember(earlier);
  campaign.run(policy);
  return policy.take_result();
}

}  // namespace lapcast
