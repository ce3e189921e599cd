#include "forecast/cut_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/units.h"

namespace lapcast {
namespace {

void cut_at(LapLog& log, std::int64_t until) {
  std::erase_if(log.stages, [&](const StageSpan& stage) { return stage.span.end_ns > until; });
  std::erase_if(log.validations, [&](const auto& each) { return each.span.end_ns > until; });
  std::erase_if(log.metrics, [&](const MetricPoint& metric) { return metric.at_ns > until; });
  log.said_bye = false;
  log.last_ns = until;
}

/// Turns an epoch into one that has not ended and has only these laps.
void reopen(EpochSpan& epoch, std::span<const Lap> laps) {
  epoch.laps = std::ssize(laps);
  epoch.ended = false;
  epoch.span.end_ns = 0;
  epoch.samples = 0;
  for (const Lap& lap : laps) epoch.samples += lap.samples;
}

}  // namespace

Result<LapLog> log_of_first_laps(const LapLog& log, std::int64_t laps) {
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(laps, 1));
  if (wanted >= log.laps.size())
    return because(fmt::format("it has no more than {} laps", log.laps.size()));
  LapLog first = log;
  first.laps.resize(wanted);
  std::erase_if(first.epochs,
                [&](const EpochSpan& epoch) { return epoch.first_lap >= std::ssize(first.laps); });
  if (!first.epochs.empty()) {
    EpochSpan& last = first.epochs.back();
    const std::int64_t seen = std::ssize(first.laps) - last.first_lap;
    if (last.laps > seen) reopen(last, std::span(first.laps).last(static_cast<std::size_t>(seen)));
  }
  cut_at(first, first.laps.back().end_ns);
  return first;
}

Result<LapLog> log_of_first_epochs(const LapLog& log, std::int64_t epochs) {
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(epochs, 0));
  if (log.epochs.empty()) return because("its log reports no epochs");
  if (wanted >= log.epochs.size()) {
    return because(fmt::format("it has no more than {}", counted(log.epochs.size(), "epoch")));
  }
  const EpochSpan& next = log.epochs[wanted];
  LapLog first = log;
  first.epochs.resize(wanted + 1);
  reopen(first.epochs.back(), {});
  first.laps.resize(std::min(first.laps.size(), static_cast<std::size_t>(next.first_lap)));
  cut_at(first, next.span.begin_ns);
  return first;
}

}  // namespace lapcast
