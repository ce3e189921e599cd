#include "campaign/rounds_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "fleet/candidates.h"
#include "forecast/stopping_rule.h"
#include "probe/orders.h"

namespace lapcast {
namespace {

constexpr double kRoundSeconds = kLaterRound.count();
/// A program that queues work on a device runs some laps ahead of it; the laps after those show the
/// speed of the device.
constexpr std::int64_t kLeastDeviceLaps = 12;

class RoundsPolicy : public CampaignPolicy {
 public:
  RoundsPolicy(Campaign& campaign, int rounds)
      : campaign_(campaign), rounds_(rounds), entries_(campaign.requests().size()) {}

  void start_what_can_run() override {
    if (campaign_.was_interrupted()) return;
    for (const Index i : order()) {
      if (!campaign_.may_run(i)) continue;
      if (entries_[i].state == State::suspended)
        go_on(i);
      else if (!makes_room(i))
        start(i);
    }
  }

  void take_so_far(Index i, Run run) override {
    Entry& entry = entries_[i];
    if (entry.state != State::running) return;
    ++entry.rounds;
    entry.state = State::suspended;
    campaign_.leave_hardware(i);
    entry.next_laps =
        static_cast<std::int64_t>(laps_of(run)->laps.size()) + laps_of_next_round(run);
    entry.held = held_memory_of(run);
    (entry.rounds == 1 ? first_rounds_ : later_rounds_).add(run.wall() - entry.ran);
    entry.ran = run.wall();
    const std::vector<const HeldMemory*> held = held_at_place_of(i);
    if (is_one_by_one(i) || !fit_on_gpus(held)) return make_room(i);
    if (entry.rounds >= rounds_ || !fit_beside_others(held)) end(i);
  }

  void take_run(Index i, const Run& run) override {
    Entry& entry = entries_[i];
    const bool is_cut_short = entry.state == State::ending && entry.rounds < rounds_ &&
                              !is_one_by_one(i) && !campaign_.was_interrupted();
    const bool is_crowded = !is_one_by_one(i) && is_crowded_out(run, held_at_place_of(i));
    entry.state = is_cut_short || is_crowded ? State::waiting : State::done;
    if (is_crowded) return make_room(i);
    if (std::holds_alternative<outcome::Interrupted>(run.outcome)) return campaign_.show(run);
    if (!has_laps(run.outcome)) ++result_.failed;
    if (entry.rounds == 0) first_rounds_.add(run.wall());
    if (entry.state == State::done) ++result_.finished;
    campaign_.show(run);
  }

  /// Keeps what suspended probes have measured; running ones have to be measured again.
  bool end_at_interrupt(bool first) override {
    for (Index i = 0; first && i < entries_.size(); ++i)
      if (entries_[i].state == State::suspended) end(i);
    return true;
  }

  bool wants(Index i) const override { return entries_[i].state != State::done; }

  CampaignProgress progress() const override {
    CampaignProgress progress{result_.finished, entries_.size(), result_.failed, time_left(), {}};
    for (const auto& [ticket, i] : campaign_.running())
      if (entries_[i].state == State::running)
        progress.running.push_back(campaign_.under_way(
            i, fmt::format(", round {} of {}", entries_[i].rounds + 1, rounds_)));
    return progress;
  }

  CampaignResult result() const {
    CampaignResult result = result_;
    result.interrupted = campaign_.was_interrupted();
    return result;
  }

 private:
  enum class State { waiting, running, suspended, ending, done };
  struct Entry {
    State state = State::waiting;
    int rounds = 0;              // that are over
    std::int64_t next_laps = 0;  // since its start; its next round ends there
    HeldMemory held = {};        // while it is suspended
    Seconds ran{0};              // until its last round was over
    bool was_started = false;
  };

  bool has_rounds(Index i) const {
    const ProbeRequest& request = campaign_.requests()[i];
    return !is_one_by_one(i) && can_suspend(campaign_.place_of(i)) &&
           !request.context.machine_type.exclusive && !request.limits.epochs;
  }

  std::vector<const HeldMemory*> held_at_place_of(Index i) const {
    return campaign_.held_at_place_of(i, [this](Index other) {
      return entries_[other].state == State::suspended ? &entries_[other].held : nullptr;
    });
  }

  bool is_one_by_one(Index i) const { return one_by_one_.contains(host_of(i)); }
  std::string host_of(Index i) const { return describe(campaign_.place_of(i)); }

  /// Ends the suspended programs on the host of a request, because their first rounds were whole
  /// probes, and makes the others there run in one piece: on a GPU the start of each round would
  /// take longer than its laps.
  void make_room(Index crowded) {
    one_by_one_.insert(host_of(crowded));
    for (Index i = 0; i < entries_.size(); ++i)
      if (entries_[i].state == State::suspended && is_one_by_one(i)) end(i);
  }

  /// Returns whether programs that are to make room for a request have not ended yet.
  bool makes_room(Index i) const {
    if (!is_one_by_one(i)) return false;
    for (Index other = 0; other < entries_.size(); ++other)
      if (entries_[other].state == State::ending && host_of(other) == host_of(i)) return true;
    return false;
  }

  /// Returns the wall time of the rounds that are left; nothing before the first is over.
  std::optional<Seconds> time_left() const {
    if (first_rounds_.count == 0) return std::nullopt;
    std::vector<Seconds> left(entries_.size());
    for (Index i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      if (entry.state == State::done || entry.state == State::ending) continue;
      if (entry.rounds == 0) left[i] = first_rounds_.or_else(Seconds{0});
      if (has_rounds(i))
        left[i] +=
            (rounds_ - std::max(1, entry.rounds)) * later_rounds_.or_else(Seconds{kRoundSeconds});
      left[i] += entry.ran;  // Campaign::time_left() subtracts it if the run goes on
    }
    return campaign_.time_left(std::move(left));
  }

  /// Returns the requests that wait or are suspended, the next one first.
  std::vector<Index> order() const {
    std::vector<Index> indices;
    for (Index i = 0; i < entries_.size(); ++i)
      if (entries_[i].state == State::waiting || entries_[i].state == State::suspended)
        indices.push_back(i);
    const auto key = [&](Index i) {
      const int round = entries_[i].rounds;
      // The requests come in random order, which serves the first round.
      const std::size_t turn = round == 0
                                   ? i
                                   : std::hash<std::string>{}(fmt::format(
                                         "{} {}", round, campaign_.requests()[i].context.id));
      return std::tuple(round, turn);
    };
    std::ranges::sort(indices, {}, key);
    return indices;
  }

  void start(Index i) {
    Entry& entry = entries_[i];
    ProbeRequest& request = campaign_.request(i);
    if (entry.was_started) request.context.id = new_id();
    entry.was_started = true;
    entry.state = State::running;
    entry.ran = Seconds{0};
    request.round.reset();
    if (has_rounds(i)) request.round = Round{.until_enough = true};
    campaign_.start(i);
  }

  void go_on(Index i) {
    entries_[i].state = State::running;
    campaign_.take_hardware(i);
    campaign_.order(i, order_line(Round{.laps = entries_[i].next_laps}));
  }

  void end(Index i) {
    entries_[i].state = State::ending;
    campaign_.take_hardware(i);
    campaign_.order(
        i,
        order_line(outcome::Enough{fmt::format("{} of {} rounds", entries_[i].rounds, rounds_)}));
  }

  Campaign& campaign_;
  int rounds_;
  std::set<std::string> one_by_one_;  // hosts on whose GPUs nothing fits beside suspended programs
  std::vector<Entry> entries_;
  CampaignResult result_;
  MeanTime first_rounds_;
  MeanTime later_rounds_;
};

}  // namespace

std::int64_t laps_of_next_round(const Run& so_far) {
  const auto log = laps_of(so_far);
  const std::vector<Lap>& laps = log->laps;
  const std::size_t half = laps.size() / 2;
  const std::int64_t least = log->on_device ? kLeastDeviceLaps : 0;
  if (half == 0) return std::max(least, laps_of_later_round(kLaterRound));
  const Seconds time = from_ns(laps.back().end_ns - laps[laps.size() - half].begin_ns);
  return std::max(least, laps_of_later_round(time / static_cast<double>(half)));
}

CampaignResult run_in_rounds(std::vector<ProbeRequest> requests, int rounds, CampaignTools tools) {
  Campaign campaign(std::move(requests), std::move(tools));
  RoundsPolicy policy(campaign, rounds);
  campaign.run(policy);
  return policy.result();
}

}  // namespace lapcast
