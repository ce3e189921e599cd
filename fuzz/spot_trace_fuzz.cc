// Checks that any bytes are a trace of spot machines or have a reason. The spans of what was read
// follow one another; lifetimes, checkpoint intervals, simulated jobs and policies accept it.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "spot/availability_trace.h"
#include "spot/checkpoint_interval.h"
#include "spot/deadline_job.h"
#include "spot/spot_forecast.h"
#include "spot/spot_job.h"

namespace {

using namespace lapcast;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_trace(const AvailabilityTrace& trace) {
  Seconds end{0};
  for (const TraceSpan& span : trace.spans) {
    require(span.begin == end && span.begin < span.end && std::isfinite(span.end.count()));
    require(!span.machines || *span.machines >= 0);
    end = span.end;
  }
}

void use(const std::vector<PresenceSpan>& spans) {
  const CheckpointCosts costs{Seconds{60}, Seconds{300}, Seconds{0}};
  const SpotJob job{Seconds{7200}, Seconds{900}, costs};
  const SpotTimes times = run_on_trace(job, spans, Seconds{0});
  require(times.lost_work.count() >= 0 && times.training <= job.work + Seconds{1e-6});
  const auto sessions = LifetimeDistribution::of(lifetimes_of(spans, Presence::there));
  if (sessions) {
    const auto plan = best_interval(*sessions, costs);
    require(plan && plan->losses.sum() >= 0 && plan->losses.sum() < 1 + 1e-9);
  }
  if (const auto forecast = forecast_on_spot(job, spans, {}, 20))
    require(forecast->time.low <= forecast->time.high);
  if (spans.empty() || spans.back().end > Seconds{1e6}) return;
  const auto ticks = ticks_of(spans, Seconds{300});
  const DeadlineJob deadline_job{10, 20, 1, 0.3};
  if (ticks.size() >= 20) require(run_policy(deadline_job, greedy, ticks).in_time);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = parse_availability_trace(text, {2026, 11, 27});
  if (!read) {
    require(!read.error().text.empty());
    return 0;
  }
  check_trace(read->trace);
  use(presence_of(read->trace, 1));
  use(presence_of(read->trace, 3));
  return 0;
}
