#include "campaign/repeat_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/hash.h"
#include "fleet/candidates.h"
#include "query/sweep_state.h"

namespace lapcast {
namespace {

std::vector<ProbeRequest> requests_of(const std::vector<RepeatedCandidate>& candidates) {
  std::vector<ProbeRequest> requests;
  for (const RepeatedCandidate& candidate : candidates) requests.push_back(candidate.request);
  return requests;
}

class RepeatPolicy : public CampaignPolicy {
 public:
  RepeatPolicy(Campaign& campaign, std::vector<RepeatedCandidate> candidates,
               const RepeatRule& rule, std::size_t warm_ups, const RepeatValue& value)
      : campaign_(campaign), rule_(rule), warm_ups_(warm_ups), value_(value) {
    for (RepeatedCandidate& candidate : candidates)
      entries_.push_back({std::move(candidate.values), candidate.warm_ups});
  }

  void start_what_can_run() override {
    if (campaign_.was_interrupted()) return;
    for (const Index i : order())
      if (campaign_.may_run(i)) start(i);
  }

  void take_run(Index i, const Run& run) override {
    Entry& entry = entries_[i];
    entry.is_running = false;
    if (!std::holds_alternative<outcome::Interrupted>(run.outcome)) {
      const Result<double> value = value_(run);
      if (!value)
        entry.reason = value.error().text;
      else if (run.context.warm_up)
        ++entry.warm_ups;
      else
        entry.values.push_back(*value);
      if (value) entry.times.add(run.wall()), times_.add(run.wall());
    }
    campaign_.show(run);
  }

  CampaignProgress progress() const override {
    CampaignProgress progress;
    std::vector<Seconds> left;
    for (const Entry& entry : entries_) {
      const std::size_t made = runs_of(entry);
      const std::size_t all = entry.reason.empty() ? std::max(made, expected(entry)) : made;
      progress.done += made;
      progress.total += all;
      progress.failed += entry.reason.empty() ? 0 : 1;
      left.push_back(static_cast<double>(all - made) *
                     entry.times.or_else(times_.or_else(Seconds{0})));
    }
    if (times_.count > 0) progress.eta = campaign_.time_left(std::move(left));
    for (const auto& [ticket, i] : campaign_.running())
      progress.running.push_back(campaign_.under_way(i));
    return progress;
  }

  bool wants(Index i) const override { return entries_[i].is_running || !is_done(entries_[i]); }

  RepeatsResult result() const {
    RepeatsResult result{campaign_.was_interrupted(), {}};
    for (const Entry& entry : entries_)
      result.reasons.push_back(!entry.reason.empty() ? entry.reason
                               : is_done(entry)      ? ""
                                                     : "interrupted");
    return result;
  }

 private:
  struct Entry {
    std::vector<double> values;
    std::size_t warm_ups = 0;  // made so far
    bool is_running = false;
    std::string reason = {};  // why it has failed
    bool was_started = false;
    MeanTime times = {};  // of its runs of this command
  };

  std::size_t runs_of(const Entry& entry) const { return entry.values.size() + entry.warm_ups; }
  std::size_t expected(const Entry& entry) const {
    return std::max(warm_ups_, entry.warm_ups) + expected_runs(entry.values, rule_);
  }
  bool is_done(const Entry& entry) const {
    return !entry.reason.empty() || judge_repeats(entry.values, rule_) != Repeats::more;
  }

  /// Returns the candidates that wait for their next run, the next one first.
  std::vector<Index> order() const {
    std::vector<Index> indices;
    for (Index i = 0; i < entries_.size(); ++i)
      if (!entries_[i].is_running && !is_done(entries_[i])) indices.push_back(i);
    const auto key = [&](Index i) {
      const std::size_t round = runs_of(entries_[i]);
      return std::pair(round, turn_in(round, i));
    };
    std::ranges::sort(indices, {}, key);
    return indices;
  }

  /// Returns the place of a candidate in the random order of a round, which depends on the sweep
  /// and the round only, so that an interrupted command goes on in the same order.
  std::size_t turn_in(std::size_t round, Index i) const {
    Fnv1a seed;
    seed.add(campaign_.requests()[i].context.sweep);
    seed.add_unit(round);
    const std::vector<std::size_t> order = random_order(entries_.size(), seed.value());
    return static_cast<std::size_t>(std::ranges::find(order, i) - order.begin());
  }

  void start(Index i) {
    Entry& entry = entries_[i];
    RunContext& context = campaign_.request(i).context;
    if (entry.was_started) context.id = new_id();
    entry.was_started = entry.is_running = true;
    context.warm_up = entry.values.empty() && entry.warm_ups < warm_ups_;
    context = with_seed(std::move(context), runs_of(entry) + 1);
    campaign_.start(i);
  }

  Campaign& campaign_;
  const RepeatRule& rule_;
  std::size_t warm_ups_;
  const RepeatValue& value_;
  std::vector<Entry> entries_;
  MeanTime times_;  // of all runs of this command
};

}  // namespace

RepeatsResult run_repeatedly(std::vector<RepeatedCandidate> candidates, const RepeatRule& rule,
                             std::size_t warm_ups, const RepeatValue& value, CampaignTools tools) {
  Campaign campaign(requests_of(candidates), std::move(tools));
  RepeatPolicy policy(campaign, std::move(candidates), rule, warm_ups, value);
  campaign.run(policy);
  return policy.result();
}

}  // namespace lapcast
