#include "report/run_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "core/units.h"
#include "forecast/lap_series.h"

namespace lapcast {
namespace {

using Kind = RunMark::Kind;

constexpr std::size_t kLastingLevel =
    20;  // laps after which a change of the level is not a warm-up

/// Parses a time such as "2026-11-20T12:00:00Z" as seconds since 1970; 0 for any other text.
double seconds_of_utc(std::string_view text) {
  const auto time = parse_utc(text);
  return time ? static_cast<double>(time->time_since_epoch().count()) : 0;
}

void add_reported(const LapLog& log, std::vector<RunMark>& marks) {
  for (const ValidationSpan& each : log.validations)
    marks.push_back({Kind::validation, each.span,
                     each.samples > 0 ? fmt::format("{} samples", each.samples) : ""});
  for (const StageSpan& each : log.stages) {
    const bool is_checkpoint = each.name == "checkpoint";
    const std::string size = each.bytes > 0 ? format_bytes(each.bytes) : "";
    marks.push_back({is_checkpoint ? Kind::checkpoint : Kind::stage, each.span,
                     is_checkpoint ? size : each.name});
  }
  for (auto each = log.epochs.begin(); each != log.epochs.end(); ++each) {
    const bool is_last = std::next(each) == log.epochs.end();
    const std::int64_t other_end = is_last ? log.last_ns : std::next(each)->span.begin_ns;
    marks.push_back({Kind::epoch,
                     {each->span.begin_ns, each->ended ? each->span.end_ns : other_end},
                     fmt::format("epoch {}", each->epoch)});
  }
}

/// Adds marks for what the times of the laps show.
void add_found(const Series& series, const LapLog& log, std::vector<RunMark>& marks) {
  const auto lap_of = [&](std::size_t full) -> const Lap& {
    return log.laps[series.full.index[full]];
  };
  if (const std::size_t steady = series.first_steady_lap(); steady > 0)
    marks.push_back({Kind::warm_up,
                     {log.laps.front().begin_ns, log.laps[steady - 1].end_ns},
                     fmt::format("{} laps", steady)});
  for (const std::size_t stall : series.state.stalls)
    marks.push_back({Kind::stall,
                     {lap_of(stall).begin_ns, lap_of(stall).end_ns},
                     format_duration(Seconds{series.full.seconds[stall]})});
  std::size_t former = 0;
  for (const std::size_t cut : series.state.cuts) {
    const std::int64_t at_ns = lap_of(cut).begin_ns;
    if (cut - former >= kLastingLevel)
      marks.push_back(
          {Kind::level_shift, {at_ns, at_ns}, fmt::format("lap {}", lap_of(cut).index)});
    former = cut;
  }
}

}  // namespace

std::string_view to_string(Kind kind) {
  // The names are in the order of the enum.
  constexpr std::string_view kNames[] = {"validation", "checkpoint", "stage", "epoch",
                                         "pause",      "warm-up",    "stall", "level-shift"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<RunMark> marks_of(const LapLog& log, const Series* series) {
  std::vector<RunMark> marks;
  add_reported(log, marks);
  if (series) add_found(*series, log, marks);
  return marks;
}

RunTimeline timeline_of(const Run& run) {
  RunTimeline timeline;
  timeline.length_ns = std::max<std::int64_t>(0, run.ended_ns - run.started_ns);
  const auto without_pauses = laps_of(run);
  if (run.pauses.empty()) {
    timeline.log = *without_pauses;
  } else {
    Run whole;  // has all that laps_of() reads, except pauses
    whole.context.imported_from = run.context.imported_from;
    whole.context.machine.host = run.context.machine.host;
    whole.started_ns = run.started_ns;
    whole.ended_ns = run.ended_ns;
    whole.lap_logs = run.lap_logs;
    timeline.log = *laps_of(whole);
  }
  const LapLog& log = timeline.log;
  const bool has_clock = log.hello && log.hello->wall_seconds > 0;
  timeline.started_s = has_clock ? log.hello->wall_seconds : seconds_of_utc(run.context.started_at);
  std::optional<Series> series;
  if (!without_pauses->laps.empty()) series.emplace(*without_pauses);
  timeline.marks = marks_of(log, series ? &*series : nullptr);
  for (const Pause& pause : run.pauses)
    timeline.marks.push_back(
        {Kind::pause, {pause.begin_ns - run.started_ns, pause.end_ns - run.started_ns}, ""});
  if (series) timeline.costs_s = std::move(series->costs);
  return timeline;
}

}  // namespace lapcast
