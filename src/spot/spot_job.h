#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/seconds.h"
#include "price/offer.h"
#include "price/quote.h"
#include "spot/availability_trace.h"
#include "spot/checkpoint_interval.h"
#include "spot/lifetimes.h"
#include "spot/spot_steps.h"

namespace lapcast {

/// Is the interval of a job that saves nothing: longer than any training.
inline constexpr Seconds kNoInterval{100 * 365.25 * 86400};

/// Describes a training on spot machines.
struct SpotJob {
  Seconds work{0};      // on a machine that is never taken away, without checkpoints
  Seconds interval{0};  // work from one checkpoint to the next
  CheckpointCosts costs;
  /// Says when work begins on the first machine; nothing = after costs.restart, as on all others.
  std::optional<Seconds> first_start = {};
};

/// Returns why a job cannot be simulated: a time that is negative, not finite or above 100 years,
/// or an interval of 0; nothing when it can.
std::optional<Reason> why_not_valid(const SpotJob& job);

/// Says where the time of a job went. The parts sum to time().
struct SpotTimes {
  Seconds boot{0};      // until work began on the first machine
  Seconds training{0};  // work that was kept: the work of the job, once it has finished
  Seconds checkpoints{0};
  Seconds lost_work{0};  // done again; checkpoints that were cut are included
  Seconds restarts{0};   // on the machines after the first one
  Seconds waiting{0};    // without a machine
  std::uint64_t interruptions = 0;
  bool finished = false;
  Seconds billed() const { return boot + training + checkpoints + lost_work + restarts; }
  Seconds time() const { return billed() + waiting; }
};

/// Runs a job over the periods in which it has machines. No checkpoint is made after the last work.
class SpotRun {
 public:
  /// The job must be valid. What it does is added to `steps` unless that is null.
  explicit SpotRun(const SpotJob& job, SpotSteps* steps = nullptr);
  /// Uses a machine that is taken away after `session` seconds; 0 = no machine. Returns whether the
  /// job finished on it. Takes constant time, however often the session saves.
  bool use(double session);
  /// Waits without a machine.
  void wait(double seconds) {
    waiting_ += seconds;
    if (steps_ != nullptr) steps_->add(SpotActivity::waiting, seconds);
  }
  SpotTimes times() const;
  std::uint64_t interruptions() const { return interruptions_; }

 private:
  void note(const SpotSession& done) {
    if (steps_ != nullptr) steps_->add(done, interval_, cost_);
  }

  double interval_, cost_, restart_, notice_;
  double start_;  // of the next machine
  double left_;   // work
  double work_, boot_ = 0, saves_ = 0, cut_ = 0, restarts_ = 0, waiting_ = 0;
  std::uint64_t interruptions_ = 0;
  bool started_ = false, finished_ = false;
  SpotSteps* steps_;
};

/// Simulates a job whose sessions and waits are independent draws; the first machine is there at
/// once, and so is each next one if `waits` is null. Gives up, with `finished` false, after
/// `most_interruptions`. The job must be valid.
SpotTimes simulate(const SpotJob& job, const LifetimeDistribution& sessions,
                   const LifetimeDistribution* waits, SeededNumbers& numbers,
                   std::uint64_t most_interruptions = 1'000'000);

/// Runs a job from `start` on over a trace; `finished` is false if the trace ends, or has an
/// unrecorded span, before the job is done. The job must be valid. What it does is added to
/// `steps`, which must have the same start.
SpotTimes run_on_trace(const SpotJob& job, std::span<const PresenceSpan> spans, Seconds start,
                       SpotSteps* steps = nullptr);

}  // namespace lapcast
