#include "report/run_document.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/units.h"
#include "forecast/lap_series.h"
#include "report/packed_columns.h"
#include "report/run_report.h"
#include "report/run_timeline.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMarks = 5000;         // marks of one kind in a page
constexpr std::size_t kMostMetricPoints = 2000;  // points of one metric

/// Names the columns of loads, in the order of kLoadFields.
constexpr std::array kLoadNames{"cpus",        "run_ns",       "delay_ns",      "others_ns",
                                "steal_ns",    "throttled_ns", "cpu_stall_ns",  "memory_stall_ns",
                                "io_stall_ns", "mhz",          "swapped_bytes", "threads_left_out",
                                "workers",     "gpu_mhz",      "gpu_throttle",  "gpu_celsius",
                                "gpu_others",  "gpu_mw",       "cpu_mw",        "memory_bytes"};
static_assert(kLoadNames.size() == std::size(kLoadFields));

/// Returns the laps. The gap of a lap is the time between the end of the lap before and its start.
Json packed_laps(const LapLog& log) {
  Json table{{"count", log.laps.size()}, {"columns", Json::object()}};
  // Adds one column after the other: each has 40 MB for a day of laps.
  const auto add = [&](const char* name, auto value) {
    std::vector<std::int64_t> column;
    column.reserve(log.laps.size());
    for (const Lap& lap : log.laps) column.push_back(value(lap));
    table["columns"][name] = packed(column);
  };
  std::int64_t end_ns = 0;
  add("gap_ns", [&](const Lap& lap) { return lap.begin_ns - std::exchange(end_ns, lap.end_ns); });
  add("time_ns", [](const Lap& lap) { return lap.end_ns - lap.begin_ns; });
  add("samples", [](const Lap& lap) { return lap.samples; });
  add("phase", [](const Lap& lap) { return lap.phase; });
  add("queued", [](const Lap& lap) { return lap.finished ? 0 : 1; });
  return table;
}

/// Returns the load samples: each time as the difference from the one before, -1 for a missing
/// figure, and no column for figures that no sample has.
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

/// Returns the samples of GPUs, as packed_loads() does.
Json packed_gpus(const std::vector<GpuSample>& gpus) {
  std::vector<PackedColumn> columns{{"at_ns", {}}, {"gpu", {}}};
  std::int64_t before = 0;
  for (const GpuSample& gpu : gpus) {
    columns[0].values.push_back(gpu.at_ns - std::exchange(before, gpu.at_ns));
    columns[1].values.push_back(gpu.number);
  }
  const std::pair<const char*, GpuSample::Field GpuSample::*> fields[] = {
      {"busy_percent", &GpuSample::busy_percent},
      {"memory_bytes", &GpuSample::memory_bytes},
      {"memory_total_bytes", &GpuSample::memory_total_bytes}};
  for (const auto& [name, field] : fields) {
    PackedColumn& column = columns.emplace_back(PackedColumn{name, {}});
    for (const GpuSample& gpu : gpus) column.values.push_back((gpu.*field).value_or(-1));
  }
  return packed_table(columns);
}

/// Returns the marks that are drawn with the laps of a run.
Json shown_marks(const LapLog& log) {
  std::optional<Series> series;
  if (!log.laps.empty()) series.emplace(log);
  std::vector<RunMark> marks = marks_of(log, series ? &*series : nullptr);
  for (const RemovedPause& pause : log.removed)
    marks.push_back({RunMark::Kind::pause,
                     {pause.at_ns, pause.at_ns},
                     "suspended for " + format_duration(from_ns(pause.length_ns))});
  std::map<RunMark::Kind, std::size_t> counts;
  Json shown = Json::array();
  for (RunMark& mark : marks) {
    if (counts[mark.kind]++ >= kMostMarks) continue;
    Json& each = shown.emplace_back(Json{{"kind", to_string(mark.kind)},
                                         {"begin_s", from_ns(mark.span.begin_ns).count()},
                                         {"end_s", from_ns(mark.span.end_ns).count()}});
    if (!mark.text.empty()) each["text"] = std::move(mark.text);
  }
  return shown;
}

/// Returns the values of the metrics; if there are very many, evenly spread ones and the last.
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
  const auto log = laps_of(run);
  document["phases"] = log->phases;
  document["phases"][0] = "-";  // before the program reported a phase
  document["marks"] = shown_marks(*log);
  if (!log->metrics.empty()) document["metrics"] = metrics_of(*log);
  if (!run.forecasts.empty()) document["forecasts"] = forecasts_of(run);
  redaction.apply(document);
  if (!log->laps.empty()) document["laps"] = packed_laps(*log);
  if (!log->loads.empty()) document["load"] = packed_loads(log->loads);
  if (!log->gpus.empty()) document["gpu_load"] = packed_gpus(log->gpus);
  return document;
}

}  // namespace lapcast
