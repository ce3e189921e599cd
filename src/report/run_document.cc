#include "report/run_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/units.h"
#include "forecast/lap_series.h"
#include "report/packed_columns.h"
#include "report/run_report.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMarks = 5000;         // of one kind that a page shows
constexpr std::size_t kMostMetricPoints = 2000;  // of one metric

/// Names the columns of loads, in the order of kLoadFields.
constexpr std::array<const char*, std::size(kLoadFields)> kLoadNames{
    "cpus",        "run_ns",       "delay_ns",      "others_ns",
    "steal_ns",    "throttled_ns", "cpu_stall_ns",  "memory_stall_ns",
    "io_stall_ns", "mhz",          "swapped_bytes", "threads_left_out",
    "gpu_mhz",     "gpu_throttle", "gpu_celsius",   "gpu_others"};

/// Returns the laps. A lap's gap is the time from the end of the lap before to its begin.
Json packed_laps(const LapLog& log) {
  std::vector<PackedColumn> columns{
      {"gap_ns", {}}, {"time_ns", {}}, {"samples", {}}, {"phase", {}}, {"queued", {}}};
  for (PackedColumn& column : columns) column.values.reserve(log.laps.size());
  std::int64_t end_ns = 0;
  for (const Lap& lap : log.laps) {
    const std::int64_t row[] = {lap.begin_ns - end_ns, lap.end_ns - lap.begin_ns, lap.samples,
                                lap.phase, lap.finished ? 0 : 1};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].values.push_back(row[i]);
    end_ns = lap.end_ns;
  }
  return packed_table(columns);
}

/// Returns the load samples: each time as the difference from the one before, -1 for a figure that
/// one sample lacks, and no column for what no sample has.
Json packed_loads(const std::vector<LoadSample>& loads) {
  std::vector<PackedColumn> columns{{"at_ns", {}}, {"span_ns", {}}};
  std::int64_t before = 0;
  for (const LoadSample& load : loads) {
    columns[0].values.push_back(load.at_ns - std::exchange(before, load.at_ns));
    columns[1].values.push_back(load.span_ns);
  }
  for (std::size_t field = 0; field < std::size(kLoadFields); ++field) {
    const auto value = kLoadFields[field].second;
    if (std::ranges::none_of(loads, [&](auto& load) { return (load.*value).has_value(); }))
      continue;
    PackedColumn& column = columns.emplace_back(PackedColumn{kLoadNames[field], {}});
    for (const LoadSample& load : loads) column.values.push_back((load.*value).value_or(-1));
  }
  return packed_table(columns);
}

/// Collects what is drawn beside the laps of a run.
class Marks {
 public:
  void add(const char* kind, Span span, std::string text = "") {
    if (counts_[kind]++ >= kMostMarks) return;
    Json mark{{"kind", kind},
              {"begin_s", from_ns(span.begin_ns).count()},
              {"end_s", from_ns(span.end_ns).count()}};
    if (!text.empty()) mark["text"] = std::move(text);
    marks_.push_back(std::move(mark));
  }
  Json take() { return std::move(marks_); }

 private:
  Json marks_ = Json::array();
  std::map<std::string, std::size_t> counts_;
};

void mark_reported(Marks& marks, const LapLog& log) {
  for (const EpochSpan& epoch : log.epochs)
    if (epoch.ended) marks.add("epoch", epoch.span, fmt::format("epoch {}", epoch.epoch));
  for (const ValidationSpan& validation : log.validations)
    marks.add("validation", validation.span, fmt::format("{} samples", validation.samples));
  for (const StageSpan& stage : log.stages) {
    const bool saves = stage.name == "checkpoint";
    const std::string size = stage.bytes > 0 ? format_bytes(stage.bytes) : "";
    marks.add(saves ? "checkpoint" : "stage", stage.span, saves ? size : stage.name);
  }
  for (const RemovedPause& pause : log.removed)
    marks.add("pause", {pause.at_ns, pause.at_ns},
              "suspended for " + format_duration(from_ns(pause.length_ns)));
}

/// Marks what the forecast made of the laps.
void mark_found(Marks& marks, const LapLog& log) {
  if (log.laps.empty()) return;
  const Series series(log);
  const auto lap_of = [&](std::size_t full) -> const Lap& {
    return log.laps[series.full.index[full]];
  };
  const SteadyState& state = series.state;
  if (state.begin > 0 && state.begin < series.full.index.size())
    marks.add("warm-up", {log.laps.front().begin_ns, lap_of(state.begin).begin_ns}, state.why);
  for (const std::size_t cut : state.cuts)
    if (cut < series.full.index.size())
      marks.add("level-shift", {lap_of(cut).begin_ns, lap_of(cut).begin_ns});
  for (const std::size_t stall : state.stalls)
    marks.add("stall", {lap_of(stall).begin_ns, lap_of(stall).end_ns});
}

/// Returns the values of the metrics; of one with very many, evenly spread ones and the last.
Json metrics_of(const LapLog& log) {
  std::map<std::string, std::size_t> points;
  for (const MetricPoint& point : log.metrics) ++points[point.name];
  std::map<std::string, std::size_t> seen;
  Json metrics = Json::array();
  for (const MetricPoint& point : log.metrics) {
    const std::size_t number = seen[point.name]++;
    const std::size_t step = points[point.name] / kMostMetricPoints + 1;
    if (number % step != 0 && number + 1 != points[point.name]) continue;
    metrics.push_back({{"name", point.name},
                       {"at_s", from_ns(point.at_ns).count()},
                       {"epoch", point.epoch},
                       {"value", point.value}});
  }
  return metrics;
}

Json forecasts_of(const Run& run) {
  Json forecasts = Json::array();
  for (const ForecastMoment& moment : run.forecasts)
    forecasts.push_back({{"elapsed_s", moment.elapsed.count()},
                         {"total_s", moment.total.mid.count()},
                         {"total_s_low", moment.total.low.count()},
                         {"total_s_high", moment.total.high.count()}});
  return forecasts;
}

}  // namespace

Json json_of(std::vector<Table> tables, const std::string& command) {
  return Json::parse(json_text(std::move(tables), command));
}

Json run_document(const Run& run, const Assessment& assessment, const Redaction& redaction) {
  Json document = json_of(run_tables(run, assessment), "show");
  const LapLog log = laps_of(run);
  Marks marks;
  mark_reported(marks, log);
  mark_found(marks, log);
  document["phases"] = log.phases;
  document["phases"][0] = "-";  // before the program reported any
  document["marks"] = marks.take();
  if (!log.metrics.empty()) document["metrics"] = metrics_of(log);
  if (!run.forecasts.empty()) document["forecasts"] = forecasts_of(run);
  redaction.apply(document);
  if (!log.laps.empty()) document["laps"] = packed_laps(log);
  if (!log.loads.empty()) document["load"] = packed_loads(log.loads);
  return document;
}

}  // namespace lapcast
