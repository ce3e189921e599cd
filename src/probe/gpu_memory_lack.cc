#include "probe/gpu_memory_lack.h"

#include <algorithm>
#include <span>
#include <variant>

#include "run/race_outcomes.h"

namespace lapcast {

void GpuMemoryLack::read(MonotonicNs now) {
  watch_.look(output_.text(Stream::error), laps_.log().laps.size(), now);
}

Outcome GpuMemoryLack::made() const {
  return out_of_gpu_memory(*watch_.message(), request_.context, laps_.log(),
                           load_ ? std::span(load_->gpus()) : std::span<const GpuSample>());
}

std::optional<Outcome> GpuMemoryLack::look(MonotonicNs now) {
  read(now);
  if (!watch_.message() || request_.watch) return std::nullopt;
  const ProbeLimits& limits = request_.limits;
  const Seconds patience =
      laps_.hook().raised ? limits.grace : std::max(limits.grace, limits.budget);
  if (watch_.silent_for(now) < patience) return std::nullopt;
  return made();
}

void GpuMemoryLack::explain(Outcome& outcome, MonotonicNs ended_ns) {
  read(ended_ns);
  const bool may_follow =
      std::holds_alternative<outcome::Crashed>(outcome) ||
      std::holds_alternative<outcome::NoLaps>(outcome) ||
      (std::holds_alternative<outcome::BudgetSpent>(outcome) && !was_stopped_by_race(outcome));
  if (watch_.message() && may_follow) outcome = made();
}

}  // namespace lapcast
