#include "formats/run_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"
#include "history/assessment.h"
#include "run/secrets.h"
#include "run/settings.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;
using Kind = RunMark::Kind;

constexpr std::size_t kLongestName = 120;  // columns

// The tracks of a run, in display order.
constexpr std::int64_t kRunTrack = 1, kEpochTrack = 2, kLapTrack = 3, kValidationTrack = 4,
                       kFoundTrack = 5;
constexpr std::pair<std::int64_t, const char*> kTrackNames[] = {
    {kRunTrack, "run"},
    {kEpochTrack, "epochs"},
    {kLapTrack, "laps"},
    {kValidationTrack, "validations"},
    {kFoundTrack, "warm-up, stalls, level shifts"},
};

/// Returns the track for marks of this kind if they never overlap each other; 0 otherwise.
std::int64_t track_of(Kind kind) {
  if (kind == Kind::epoch) return kEpochTrack;
  if (kind == Kind::validation) return kValidationTrack;
  if (kind == Kind::warm_up || kind == Kind::stall) return kFoundTrack;
  return 0;
}

/// Describes a counter of the machine's load: a share of the sampled time, or the raw value.
struct LoadCounter {
  const char* counter;
  const char* series;
  LoadSample::Field LoadSample::*field;
  bool per_span;
};
constexpr LoadCounter kLoadCounters[] = {
    {"CPUs in use", "program", &LoadSample::run_ns, true},
    {"CPUs in use", "others", &LoadSample::others_ns, true},
    {"CPUs in use", "host", &LoadSample::steal_ns, true},
    {"share of time waited", "for a CPU", &LoadSample::cpu_stall_ns, true},
    {"share of time waited", "for memory", &LoadSample::memory_stall_ns, true},
    {"share of time waited", "for a disk", &LoadSample::io_stall_ns, true},
    {"share of time waited", "for the CPU quota", &LoadSample::throttled_ns, true},
    {"clock, MHz", "CPU", &LoadSample::mhz, false},
    {"clock, MHz", "GPU", &LoadSample::gpu_mhz, false},
    {"GPU, degrees Celsius", "GPU", &LoadSample::gpu_celsius, false},
};

std::string short_name(std::string_view text) {
  return printable(text, kLongestName);
}

/// Returns "train.py on small batch=64".
std::string traced_name(const RunContext& context) {
  const std::string program = context.program.empty() ? "" : context.program.front();
  const std::string settings = settings_text(context);
  return fmt::format("{} on {}{}{}", program.substr(program.rfind('/') + 1),
                     context.machine_type.name, settings.empty() ? "" : " ", settings);
}

}  // namespace

/// Holds the members of an event; empty ones are not written.
struct TraceWriter::Event {
  const char* phase;  // "X", "C", "M" ... of the format
  std::string name;
  std::int64_t process = 0;
  std::int64_t track = 0;
  std::optional<double> at_us = {};
  std::optional<double> length_us = {};
  const char* category = "";
  std::int64_t id = 0;  // of an asynchronous slice
  Json arguments = {};
};

TraceWriter::TraceWriter(std::ostream& out) : out_(out) {
  out_ << R"({"displayTimeUnit": "ms", "traceEvents": [)";
}

void TraceWriter::finish() {
  out_ << "\n]}\n";
}

void TraceWriter::write(const Event& event) {
  Json json{{"ph", event.phase}, {"name", event.name}};
  if (*event.category != '\0') json["cat"] = event.category;
  json["pid"] = event.process;
  json["tid"] = event.track;
  const auto microseconds = [](double us) { return std::round(us * 1000) / 1000; };
  if (event.at_us) json["ts"] = microseconds(std::max(0.0, shift_us_ + *event.at_us));
  if (event.length_us) json["dur"] = microseconds(std::max(0.0, *event.length_us));
  if (event.id > 0) json["id"] = event.id;
  if (*event.phase == 'i') json["s"] = "t";
  if (!event.arguments.empty()) json["args"] = event.arguments;
  out_ << (is_first_ ? "\n" : ",\n")
       << escaped_controls(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  is_first_ = false;
}

void TraceWriter::name(const char* what, std::int64_t process, std::int64_t track,
                       const std::string& text) {
  write({"M", what, process, track, {}, {}, "", 0, {{"name", short_name(text)}}});
}

void TraceWriter::add(const Run& run, const RunTimeline& timeline) {
  // The start of a run may be unknown (0).
  if (!origin_s_ && timeline.started_s > 0) origin_s_ = timeline.started_s;
  shift_us_ = timeline.started_s > 0 ? (timeline.started_s - *origin_s_) * 1e6 : 0;
  process_ = ++processes_;
  name("process_name", process_, 0,
       fmt::format("{} ({})", traced_name(run.context), run.context.id));
  write({"M",
         "process_labels",
         process_,
         0,
         {},
         {},
         "",
         0,
         {{"labels", short_name(shown_outcome(run))}}});
  for (const auto& [track, text] : kTrackNames) {
    name("thread_name", process_, track, text);
    write({"M", "thread_sort_index", process_, track, {}, {}, "", 0, {{"sort_index", track}}});
  }
  add_rounds(run, timeline);
  add_marks(timeline);
  add_laps(timeline);
  add_loads(timeline.log);
  add_counters(run, timeline.log);
}

void TraceWriter::add_marks(const RunTimeline& timeline) {
  for (const RunMark& mark : timeline.marks) {
    if (mark.kind == Kind::pause) continue;  // add_rounds() writes them
    const std::string kind(to_string(mark.kind));
    const double begin_us = from_ns(mark.span.begin_ns).count() * 1e6;
    const double length_us = mark.span.seconds().count() * 1e6;
    const bool names_it = mark.kind == Kind::epoch || mark.kind == Kind::stage;
    Event event{"X",       names_it ? mark.text : kind,
                process_,  track_of(mark.kind),
                begin_us,  length_us,
                "lapcast", 0,
                {}};
    if (!names_it && !mark.text.empty()) event.arguments = {{"what", mark.text}};
    if (mark.kind == Kind::level_shift) {
      event.phase = "i";
      event.track = kFoundTrack;
      event.length_us.reset();
    } else if (event.track == 0) {
      event.phase = "b";
      event.id = ++slices_;
      event.length_us.reset();
      write(event);
      event.phase = "e";
      event.at_us = begin_us + length_us;
    }
    write(event);
  }
}

void TraceWriter::add_laps(const RunTimeline& timeline) {
  const LapLog& log = timeline.log;
  std::int64_t former_end_ns = 0;
  for (std::size_t i = 0; i < log.laps.size(); ++i) {
    const Lap& lap = log.laps[i];
    const std::int64_t begin_ns = std::max(lap.begin_ns, former_end_ns);
    former_end_ns = std::max(former_end_ns, lap.end_ns);
    Json arguments{{"lap", lap.index}, {"samples", lap.samples}};
    if (lap.phase > 0) arguments["phase"] = log.phases[static_cast<std::size_t>(lap.phase)];
    if (!lap.finished) arguments["queued"] = true;
    write({"X", "lap", process_, kLapTrack, from_ns(begin_ns).count() * 1e6,
           from_ns(lap.end_ns - begin_ns).count() * 1e6, "lapcast", 0, std::move(arguments)});
  }
}

void TraceWriter::add_loads(const LapLog& log) {
  for (const LoadSample& load : log.loads) {
    std::map<std::string, Json> counters;
    for (const LoadCounter& each : kLoadCounters) {
      const LoadSample::Field& value = load.*each.field;
      if (!value || (each.per_span && load.span_ns <= 0)) continue;
      const double span = each.per_span ? static_cast<double>(load.span_ns) : 1;
      counters[each.counter][each.series] = static_cast<double>(*value) / span;
    }
    for (auto& [counter, values] : counters)
      write({"C",
             counter,
             process_,
             0,
             from_ns(load.at_ns - load.span_ns).count() * 1e6,
             {},
             "",
             0,
             std::move(values)});
  }
}

void TraceWriter::add_counters(const Run& run, const LapLog& log) {
  for (const MetricPoint& point : log.metrics)
    if (std::isfinite(point.value))
      write({"C",
             "metric " + point.name,
             process_,
             0,
             from_ns(point.at_ns).count() * 1e6,
             {},
             "",
             0,
             {{"value", point.value}}});
  for (const ForecastMoment& moment : run.forecasts)
    write({"C",
           "forecast of the whole run, s",
           process_,
           0,
           moment.elapsed.count() * 1e6,
           {},
           "",
           0,
           {{"forecast", moment.total.mid.count()}}});
}

/// Returns the track of a run's candidate in its sweep, and sets the process of the sweep.
std::int64_t TraceWriter::sweep_track(const Run& run, std::int64_t& process) {
  SweepTracks& sweep = sweeps_[run.context.sweep];
  if (sweep.process == 0) {
    sweep.process = ++processes_;
    name("process_name", sweep.process, 0, "sweep " + run.context.sweep);
    write({"M", "process_sort_index", sweep.process, 0, {}, {}, "", 0, {{"sort_index", -1}}});
  }
  process = sweep.process;
  const std::string candidate = traced_name(run.context);
  const auto [at, is_new] =
      sweep.tracks.try_emplace(candidate, static_cast<std::int64_t>(sweep.tracks.size()) + 1);
  if (is_new) name("thread_name", process, at->second, candidate);
  return at->second;
}

/// Writes the time of the run between its pauses, on its own track and on that of its sweep.
void TraceWriter::add_rounds(const Run& run, const RunTimeline& timeline) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places{{process_, kRunTrack}};
  if (!run.context.sweep.empty()) {
    std::int64_t process = 0;
    const std::int64_t track = sweep_track(run, process);
    places.emplace_back(process, track);
  }
  const auto add_slice = [&](const std::string& text, std::int64_t begin_ns, std::int64_t end_ns) {
    for (const auto& [process, track] : places)
      write({"X",
             text,
             process,
             track,
             from_ns(begin_ns).count() * 1e6,
             from_ns(end_ns - begin_ns).count() * 1e6,
             "lapcast",
             0,
             {{"run", run.context.id}}});
  };
  std::int64_t begin_ns = 0;
  int round = 1;
  for (const RunMark& mark : timeline.marks) {
    if (mark.kind != Kind::pause) continue;
    add_slice(fmt::format("round {}", round++), begin_ns, mark.span.begin_ns);
    add_slice("paused", mark.span.begin_ns, mark.span.end_ns);
    begin_ns = mark.span.end_ns;
  }
  add_slice(round == 1 ? "run" : fmt::format("round {}", round), begin_ns, timeline.length_ns);
}

}  // namespace lapcast
