#include "forecast/first_epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace lapcast {
namespace {

/// Drops what was not over then.
void cut_at(LapLog& log, std::int64_t until) {
  std::erase_if(log.stages, [&](const StageSpan& stage) { return stage.span.end_ns > until; });
  std::erase_if(log.validations, [&](const auto& each) { return each.span.end_ns > until; });
  std::erase_if(log.metrics, [&](const MetricPoint& metric) { return metric.at_ns > until; });
  log.said_bye = false;
  log.last_ns = until;
}

/// An epoch that went on beyond that many laps has not ended.
void keep_laps(EpochSpan& epoch, std::span<const Lap> laps) {
  const std::int64_t seen = std::ssize(laps) - epoch.first_lap;
  if (epoch.laps <= seen) return;
  epoch.laps = seen;
  epoch.ended = false;
  epoch.span.end_ns = 0;
  epoch.samples = 0;
  for (const Lap& lap : laps.last(static_cast<std::size_t>(seen))) epoch.samples += lap.samples;
}

void begun_only(EpochSpan& epoch) {
  epoch.laps = epoch.samples = 0;
  epoch.ended = false;
  epoch.span.end_ns = 0;
}

}  // namespace

Result<LapLog> first_laps(const LapLog& log, std::int64_t laps) {
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(laps, 1));
  if (wanted >= log.laps.size())
    return because(fmt::format("it has no more than {} laps", log.laps.size()));
  LapLog first = log;
  first.laps.resize(wanted);
  std::erase_if(first.epochs,
                [&](const EpochSpan& epoch) { return epoch.first_lap >= std::ssize(first.laps); });
  if (!first.epochs.empty()) keep_laps(first.epochs.back(), first.laps);
  cut_at(first, first.laps.back().end_ns);
  return first;
}

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
  first.epochs.resize(wanted + 1);
  begun_only(first.epochs.back());
  first.laps.resize(std::min(first.laps.size(), static_cast<std::size_t>(next.first_lap)));
  cut_at(first, until);
  return first;
}

}  // namespace lapcast
