#include "spot/deadline_job.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lapcast {
namespace {

/// Returns whether the job can still finish in time on a new on-demand machine after a tick with
/// this choice, whatever happens to spot machines then.
bool leaves_time(const DeadlineJob& job, const DeadlineState& state, Held choice) {
  if (choice == Held::on_demand) return true;
  const bool works = choice == Held::spot && state.held == Held::spot && state.starting == 0;
  return works || state.slack(job) >= 1;
}

/// Returns what is held in the tick: what the policy wants, as far as it is available.
Held held_in(const DeadlineJob& job, const DeadlineState& state, Held wanted, SafetyNet net) {
  if (wanted == Held::spot && !state.spot_there())
    wanted = state.held == Held::on_demand ? Held::on_demand : Held::none;
  if (net == SafetyNet::with && !leaves_time(job, state, wanted)) return Held::on_demand;
  return wanted;
}

}  // namespace

bool DeadlineJob::valid() const {
  constexpr int kMost = 100'000;
  return work >= 1 && restart >= 1 && deadline <= kMost && work <= kMost && restart <= kMost &&
         deadline >= restart + work && spot_price >= 0 && spot_price <= 1;
}

DeadlineOutcome run_policy(const DeadlineJob& job, const DeadlinePolicy& policy,
                           std::span<const std::uint8_t> spot, SafetyNet net) {
  DeadlineOutcome outcome;
  DeadlineState state;
  state.work_left = job.work;
  for (std::size_t i = 0; i < spot.size() && state.work_left > 0; ++i) {
    state.tick = static_cast<int>(i);
    state.spot = spot.first(i + 1);
    if (state.held == Held::spot && !state.spot_there()) {
      state.held = Held::none;
      ++outcome.interruptions;
    }
    const Held held = held_in(job, state, policy(job, state), net);
    if (held != state.held) state.starting = held == Held::none ? 0 : job.restart;
    state.held = held;
    outcome.held.push_back(held);
    if (held != Held::none) outcome.cost += held == Held::spot ? job.spot_price : 1;
    if (state.starting > 0)
      --state.starting;
    else if (held != Held::none)
      --state.work_left;
    outcome.ticks = state.tick + 1;
  }
  outcome.finished = state.work_left == 0;
  outcome.in_time = outcome.finished && outcome.ticks <= job.deadline;
  return outcome;
}

std::vector<JudgedPolicy> judge_policies(const DeadlineJob& job,
                                         std::span<const NamedPolicy> policies,
                                         std::span<const std::span<const std::uint8_t>> futures) {
  std::vector<JudgedPolicy> result;
  for (const NamedPolicy& policy : policies) {
    JudgedPolicy judged{policy.name};
    for (const std::span<const std::uint8_t> future : futures) {
      const DeadlineOutcome outcome = run_policy(job, policy.policy, future, policy.net);
      judged.cost += outcome.cost / job.work / static_cast<double>(futures.size());
      judged.missed += (outcome.in_time ? 0 : 1) / static_cast<double>(futures.size());
    }
    result.push_back(judged);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.cost < b.cost; });
  return result;
}

std::vector<std::uint8_t> ticks_of(std::span<const PresenceSpan> spans, Seconds tick) {
  if (spans.empty() || !(tick.count() > 0)) return {};
  const Seconds begin = spans.front().begin, length = spans.back().end - begin;
  std::vector<std::uint8_t> ticks(static_cast<std::size_t>(length / tick), 1);
  for (const PresenceSpan& span : spans) {
    if (span.presence == Presence::there) continue;
    const auto first = static_cast<std::size_t>((span.begin - begin) / tick);
    const auto end = static_cast<std::size_t>(std::ceil((span.end - begin) / tick));
    for (std::size_t i = first; i < std::min(end, ticks.size()); ++i) ticks[i] = 0;
  }
  return ticks;
}

Held spot_only(const DeadlineJob&, const DeadlineState&) {
  return Held::spot;
}

Held on_demand_only(const DeadlineJob&, const DeadlineState&) {
  return Held::on_demand;
}

Held greedy(const DeadlineJob&, const DeadlineState& state) {
  return state.held == Held::on_demand ? Held::on_demand : Held::spot;
}

Held switch_back(const DeadlineJob& job, const DeadlineState& state) {
  if (state.spot_there() && (state.held != Held::on_demand || state.slack(job) >= job.restart))
    return Held::spot;
  if (state.held == Held::on_demand) return Held::on_demand;
  return state.slack(job) < 3 * job.restart ? Held::on_demand : Held::none;
}

Held uniform_progress(const DeadlineJob& job, const DeadlineState& state) {
  const double done = job.work - state.work_left;
  const double rate = static_cast<double>(job.work) / job.deadline;
  if (state.held == Held::on_demand && done < rate * (state.tick + 2 * job.restart))
    return Held::on_demand;
  if (state.spot_there()) return Held::spot;
  if (state.held == Held::on_demand) return Held::none;
  return done < rate * state.tick ? Held::on_demand : Held::none;
}

}  // namespace lapcast
