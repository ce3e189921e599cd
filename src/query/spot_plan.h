#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "spot/availability_trace.h"
#include "spot/checkpoint_interval.h"
#include "spot/deadline_job.h"
#include "spot/price_history.h"
#include "spot/spot_forecast.h"

namespace lapcast {

/// Describes a training that may run on spot machines.
struct SpotPlanRequest {
  std::string trace_file;  // an availability trace, or heartbeats of `lapcast soak`; empty = rate
  std::optional<Seconds> between_interruptions;  // mean; without a trace
  Seconds wait{0};                               // for the next machine, mean; without a trace
  int machines = 1;                              // needed at the same time; with a trace
  bool saves = true;  // false: it begins again after each interruption; without `interval`
  Seconds work{0};    // on machines that are never interrupted, without checkpoints
  /// Holds equally likely cases of the work, in seconds; empty = it is known exactly.
  std::vector<double> works;
  CheckpointCosts costs;
  std::optional<Seconds> interval;     // of checkpoints; absent = the best one
  std::optional<PriceHistory> prices;  // of the spot machine; spot_price is their mean
  std::optional<HourlyPrice> spot_price;
  std::optional<HourlyPrice> on_demand_price;
  std::optional<Seconds> deadline;
};

struct CheckpointChoice {
  std::string method;
  CheckpointPlan plan;
};

/// Holds what is known of a training on spot machines.
struct SpotPlan {
  ReadTrace read;
  std::vector<Lifetime> sessions;
  std::vector<Lifetime> waits;
  Seconds there{0};                         // available part of the recorded time
  Seconds recorded{0};                      // 0 = there is no trace
  std::vector<CheckpointChoice> intervals;  // Young's, Daly's, the best, and the requested one
  SpotJob job;                              // with the interval that is used
  Result<SpotForecast> forecast = because("not made");
  /// Lists the policies with a deadline and their mean cost, as a share of on demand.
  Result<std::vector<JudgedPolicy>> policies = because("there is no deadline");
  std::size_t futures = 0;          // on which the policies were judged
  std::vector<PresenceSpan> spans;  // of the trace
  SpotSteps steps;                  // of the job on the trace, from the first machine on
  std::optional<double> in_time;    // probability that spot alone finishes within the deadline
};

/// Reads a trace. Throws Error (bad input) if the file cannot be read or is not a trace.
ReadTrace read_trace(const std::string& file);

/// Reads a history of prices. Throws Error (bad input) if the file cannot be read or is not one.
PriceHistory read_price_history(const std::string& file);

/// Returns when the requested number of machines was available at the same time. Throws Error (bad
/// input) if it never was.
std::vector<PresenceSpan> machines_of(const ReadTrace& read, const std::string& file,
                                      int machines = 1);

/// Plans a training on spot machines that come and go as in the trace, or at the rate. Policies
/// with a deadline learn from the first half of the trace, and are judged on starts in the second.
/// Throws Error: bad input for a trace in which the machines were never available, usage for an
/// impossible job.
SpotPlan plan_on_spot(const SpotPlanRequest& request);

}  // namespace lapcast
