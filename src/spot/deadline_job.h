#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "spot/availability_trace.h"

namespace lapcast {

/// Describes a job that must finish in time, in ticks of equal length. The model is that of Wu et
/// al., "Can't Be Late: Optimizing Spot Instance Savings under Deadlines" (NSDI 24): on-demand
/// machines can always be had, each new machine does no work in its first `restart` ticks, and an
/// interruption loses no work apart from that.
struct DeadlineJob {
  int work = 0;             // ticks of work, >= 1
  int deadline = 0;         // ticks from the start to the deadline; >= restart + work
  int restart = 1;          // ticks, >= 1
  double spot_price = 0.3;  // as a share of the on-demand price, 0..1
  /// Returns whether the numbers are within the bounds above, and none is above 100,000.
  bool valid() const;
};

/// Says what a job holds, or what a policy wants to hold.
enum class Held : std::uint8_t { none, spot, on_demand };

/// Describes a job at the start of a tick.
struct DeadlineState {
  int tick = 0;  // since the start
  int work_left = 0;
  Held held = Held::none;
  int starting = 0;  // ticks until the held machine works
  /// Says for each tick up to and including this one whether a spot machine is there throughout it.
  std::span<const std::uint8_t> spot;
  bool spot_there() const { return spot.back() != 0; }
  /// Returns the ticks left over if a new on-demand machine does the rest of the work from now on.
  int slack(const DeadlineJob& job) const { return job.deadline - tick - work_left - job.restart; }
};

/// Chooses what to hold in the coming tick.
using DeadlinePolicy = std::function<Held(const DeadlineJob&, const DeadlineState&)>;

struct DeadlineOutcome {
  double cost = 0;  // in on-demand prices of one tick
  int ticks = 0;    // until it finished or the spans ended
  bool finished = false;
  bool in_time = false;
  int interruptions = 0;
  std::vector<Held> held;  // in each tick
};

/// Says whether a policy is kept from missing the deadline: before it would, on-demand machines are
/// used until the end (the safety net of Wu et al.).
enum class SafetyNet { without, with };

/// Runs a job under a policy over ticks in which a spot machine is there or not. The job must be
/// valid. It ends with the last tick of `spot`.
DeadlineOutcome run_policy(const DeadlineJob& job, const DeadlinePolicy& policy,
                           std::span<const std::uint8_t> spot, SafetyNet net = SafetyNet::with);

struct NamedPolicy {
  std::string name;
  DeadlinePolicy policy;
  SafetyNet net = SafetyNet::with;
};

struct JudgedPolicy {
  std::string name;
  double cost = 0;    // mean, as a share of the price of the work on an on-demand machine
  double missed = 0;  // share of the futures in which it missed the deadline, or did not finish
};

/// Runs each policy over all futures, such as pieces of a trace, and returns them sorted by mean
/// cost. A job that does not finish within a future counts with its cost so far.
std::vector<JudgedPolicy> judge_policies(const DeadlineJob& job,
                                         std::span<const NamedPolicy> policies,
                                         std::span<const std::span<const std::uint8_t>> futures);

/// Returns for each whole tick whether the machine is there throughout it. A tick that is not
/// recorded counts as absent.
std::vector<std::uint8_t> ticks_of(std::span<const PresenceSpan> spans, Seconds tick);

// Policies. Each uses spot machines when they are there, unless it says otherwise.

/// Uses spot machines only, and waits for them; to be run without the safety net.
Held spot_only(const DeadlineJob& job, const DeadlineState& state);
/// Uses an on-demand machine until the end.
Held on_demand_only(const DeadlineJob& job, const DeadlineState& state);
/// Waits for spot machines as long as the deadline allows; then uses an on-demand machine until the
/// end.
Held greedy(const DeadlineJob& job, const DeadlineState& state);
/// Is greedy, but takes an on-demand machine while there is time to leave it again, and leaves it
/// for a spot machine.
Held switch_back(const DeadlineJob& job, const DeadlineState& state);
/// Uses an on-demand machine whenever the work is behind the straight line from start to deadline,
/// and leaves it for a spot machine once the work is ahead by the time of two restarts (Wu et al.,
/// section 4.3).
Held uniform_progress(const DeadlineJob& job, const DeadlineState& state);

}  // namespace lapcast
