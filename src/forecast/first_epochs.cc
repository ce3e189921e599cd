#include "forecast/first_epochs.h"

#include <fmt/format.h>

#include <algorithm>

namespace lapcast {

Result<LapLog> first_epochs(const LapLog& log, std::int64_t epochs) {
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(epochs, 0));
  if (log.epochs.empty()) return because("its log reports no epochs");
  if (wanted >= log.epochs.size()) {
    return because(fmt::format("it has no more than {} epoch{}", log.epochs.size(),
                               log.epochs.size() == 1 ? "" : "s"));
  }
  const EpochSpan& next = log.epochs[wanted];
  const std::int64_t until = next.span.begin_ns;
  LapLog first = log;
  first.epochs.resize(wanted);
  first.laps.resize(std::min(first.laps.size(), static_cast<std::size_t>(next.first_lap)));
  std::erase_if(first.stages, [&](const StageSpan& stage) { return stage.span.end_ns > until; });
  std::erase_if(first.validations, [&](const auto& each) { return each.span.end_ns > until; });
  std::erase_if(first.metrics, [&](const MetricPoint& metric) { return metric.at_ns > until; });
  first.said_bye = false;
  first.last_ns = until;
  return first;
}

}  // namespace lapcast
