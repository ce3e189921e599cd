#include "spot/spot_supply.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "stats/distributions.h"

namespace lapcast {
namespace {

constexpr double kMostTime = 10 * 365.25 * 86400;

/// Holds a period in which the machine is there, and the following one in which it is not.
struct SupplyCycle {
  double session = 0;
  double wait = 0;
  bool session_ended = true;
  bool wait_ended = true;
};

std::vector<SupplyCycle> cycles_of(std::span<const PresenceSpan> trace) {
  std::vector<SupplyCycle> cycles;
  bool open = false;  // the last cycle has no wait yet
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const double length = trace[i].length().count();
    const bool ended = i + 1 < trace.size() && trace[i + 1].presence != Presence::unknown;
    if (trace[i].presence == Presence::there) {
      cycles.push_back({length, 0, ended, true});
    } else if (trace[i].presence == Presence::absent) {
      if (!open) cycles.push_back({});
      cycles.back().wait = length;
      cycles.back().wait_ended = ended;
    }
    open = trace[i].presence == Presence::there;
  }
  return cycles;
}

/// Simulates how a machine of a trace comes and goes.
class TraceSupply {
 public:
  TraceSupply(std::span<const PresenceSpan> trace, const SupplyConstants& constants)
      : cycles_(cycles_of(trace)), constants_(constants) {
    for (const SupplyCycle& cycle : cycles_) {
      session_ends_ += cycle.session > 0 && cycle.session_ended ? 1 : 0;
      wait_ends_ += cycle.wait > 0 && cycle.wait_ended ? 1 : 0;
      session_time_ += cycle.session;
      wait_time_ += cycle.wait;
    }
  }

  bool known() const { return session_time_ + wait_time_ > 0; }

  SpotTimes run(const SpotJob& job, SeededNumbers& numbers,
                std::uint64_t most_interruptions) const {
    const double session_scale = scale(session_time_, session_ends_, constants_.session, numbers);
    const double wait_scale = scale(wait_time_, wait_ends_, constants_.wait, numbers);
    const auto stretched = [&](SupplyCycle cycle) {
      return SupplyCycle{cycle.session * session_scale, cycle.wait * wait_scale};
    };
    SpotRun run(job);
    std::size_t at = 0;
    SupplyCycle cycle = first(session_scale, wait_scale, at, numbers);
    double time = 0;
    constexpr int kMostCycles = 1'000'000;  // a cycle may take no time
    for (int i = 0; i < kMostCycles && time < kMostTime && run.interruptions() < most_interruptions;
         ++i) {
      if (run.use(cycle.session)) return run.times();
      run.wait(cycle.wait);
      time += cycle.session + cycle.wait;
      cycle = stretched(next(at, numbers));
    }
    return run.times();
  }

 private:
  /// Returns the mean with the prior's time and end added.
  double mean_of(double time, double ends, const DriftOfTimes& drift) const {
    return (time + constants_.prior_cycles * drift.prior_mean.count()) /
           (ends + constants_.prior_cycles);
  }

  /// Returns the factor by which a simulated supply stretches the observed times.
  double scale(double time, double ends, const DriftOfTimes& drift, SeededNumbers& numbers) const {
    const double pulled =
        drift.pull * std::log(drift.prior_mean.count() / mean_of(time, ends, drift));
    const double variance = drift.deviation * drift.deviation + 1 / std::max(1.0, ends);
    return std::exp(pulled + std::sqrt(variance) * numbers.normal());
  }

  static double exponential(double mean, SeededNumbers& numbers) {
    return -mean * std::log(numbers.uniform());
  }

  double prior_share() const {
    return constants_.prior_cycles /
           (constants_.prior_cycles + static_cast<double>(cycles_.size()));
  }

  SupplyCycle prior_cycle(SeededNumbers& numbers) const {
    return {exponential(constants_.session.prior_mean.count(), numbers),
            exponential(constants_.wait.prior_mean.count(), numbers)};
  }

  /// Returns a cycle of the trace; extends what had not ended when it was last seen.
  SupplyCycle seen(std::size_t i, SeededNumbers& numbers) const {
    SupplyCycle cycle = cycles_[i];
    if (!cycle.session_ended)
      cycle.session +=
          exponential(mean_of(session_time_, session_ends_, constants_.session), numbers);
    if (!cycle.wait_ended)
      cycle.wait += exponential(mean_of(wait_time_, wait_ends_, constants_.wait), numbers);
    return cycle;
  }

  SupplyCycle next(std::size_t& at, SeededNumbers& numbers) const {
    constexpr double kJump = 1.0 / 8;
    if (numbers.uniform() < prior_share()) return prior_cycle(numbers);
    at = numbers.uniform() < kJump
             ? static_cast<std::size_t>(numbers.uniform() * static_cast<double>(cycles_.size()))
             : (at + 1) % cycles_.size();
    return seen(at, numbers);
  }

  /// Returns what is left of the cycle at a random moment of the trace.
  SupplyCycle first(double session_scale, double wait_scale, std::size_t& at,
                    SeededNumbers& numbers) const {
    double left = numbers.uniform() * (session_time_ * session_scale + wait_time_ * wait_scale);
    for (at = 0; at + 1 < cycles_.size(); ++at) {
      const double length = cycles_[at].session * session_scale + cycles_[at].wait * wait_scale;
      if (left < length) break;
      left -= length;
    }
    const SupplyCycle cycle = seen(at, numbers);
    const double session = cycle.session * session_scale, wait = cycle.wait * wait_scale;
    return {std::max(0.0, session - left), std::max(0.0, wait - std::max(0.0, left - session))};
  }

  std::vector<SupplyCycle> cycles_;
  SupplyConstants constants_;
  double session_ends_ = 0, wait_ends_ = 0, session_time_ = 0, wait_time_ = 0;
};

}  // namespace

Result<SpotSupply> supply_like(std::span<const PresenceSpan> trace,
                               const SupplyConstants& constants) {
  const auto supply = std::make_shared<const TraceSupply>(trace, constants);
  if (!supply->known()) return because("trace does not say when the machine was there");
  return [supply](const SpotJob& job, SeededNumbers& numbers, std::uint64_t most_interruptions) {
    return supply->run(job, numbers, most_interruptions);
  };
}

Result<LifetimeDistribution> sessions_after(std::span<const PresenceSpan> trace,
                                            const SupplyConstants& constants) {
  constexpr int kFactors = 9;
  const std::vector<Lifetime> seen = lifetimes_of(trace, Presence::there);
  const auto sessions = LifetimeDistribution::of(seen);
  if (!sessions) return sessions;
  const DriftOfTimes& drift = constants.session;
  const double pulled = drift.pull * std::log(drift.prior_mean / sessions->mean());
  std::vector<Lifetime> stretched;
  for (int i = 0; i < kFactors; ++i) {
    const double z = normal_quantile((i + 0.5) / kFactors);
    for (Lifetime lifetime : seen) {
      lifetime.time *= std::exp(pulled + drift.deviation * z);
      stretched.push_back(lifetime);
    }
  }
  return LifetimeDistribution::of(stretched);
}

SpotSupply supply_of(LifetimeDistribution sessions, std::optional<LifetimeDistribution> waits) {
  return [sessions = std::move(sessions), waits = std::move(waits)](
             const SpotJob& job, SeededNumbers& numbers, std::uint64_t most_interruptions) {
    return simulate(job, sessions, waits ? &*waits : nullptr, numbers, most_interruptions);
  };
}

}  // namespace lapcast
