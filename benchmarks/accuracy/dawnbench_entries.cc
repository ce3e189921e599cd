#include "accuracy/dawnbench_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "accuracy/given_plan.h"
#include "accuracy/phases.h"
#include "accuracy/units.h"
#include "commands/import/import_logs.h"
#include "core/error.h"
#include "forecast/lap_profiler.h"
#include "formats/imported.h"
#include "posix/gzip_file.h"

namespace lapcast::accuracy {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTextBytes = 16 << 20;  // of one of an entry's files
constexpr std::size_t kRowsSeen = 2;

std::vector<fs::path> sorted(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string text_of(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) ? read_whole(file.string(), kMostTextBytes).text : "";
}

/// Returns the submitter: "dawn" for dawn_resnet164_b_1k80-ec2_pytorch.
std::string submitter_of(const fs::path& tsv) {
  const std::string name = tsv.stem().string();
  return name.substr(0, name.find('_'));
}

Result<DawnbenchEntryRun> entry_of(const fs::path& tsv) {
  const std::string data_set = tsv.parent_path().filename().string();
  fs::path json = tsv;
  json.replace_extension(".json");
  const std::string source = data_set + "/" + tsv.stem().string();
  const ImportedLog imported = import_dawnbench(text_of(json), text_of(tsv), source);
  if (imported.runs.empty()) return because("it is not a run");
  DawnbenchEntryRun entry;
  entry.run.id = "dawnbench/" + source;
  entry.run.submitter = submitter_of(tsv);
  entry.run.benchmark = "DAWNBench " + data_set;
  entry.run.total = imported.runs[0].wall();
  entry.log = *laps_of(imported.runs[0]);
  if (entry.log.laps.empty()) return because("it has no row that took time");
  return entry;
}

/// Converts rows to units, which are weighted by their samples.
Units units_of(std::span<const Lap> laps) {
  Units units;
  for (const Lap& lap : laps) {
    units.end.push_back(from_ns(lap.end_ns).count());
    units.weight.push_back(lap.samples > 0 ? lap.samples : 1);
  }
  return units;
}

double sum(const std::vector<double>& values, std::size_t from) {
  return std::accumulate(values.begin() + std::ptrdiff_t(from), values.end(), 0.0);
}

/// Returns the laps [first, last) as a log that begins with the first of them.
LapLog part_of(const LapLog& whole, std::size_t first, std::size_t last) {
  LapLog log;
  log.hello = whole.hello;
  const std::int64_t begin_ns = first == 0 ? 0 : whole.laps[first].begin_ns;
  for (std::size_t i = first; i < last; ++i) {
    Lap lap = whole.laps[i];
    lap.begin_ns -= begin_ns;
    lap.end_ns -= begin_ns;
    lap.index = static_cast<std::int64_t>(i - first);
    log.epochs.push_back({.epoch = lap.epoch,
                          .span = {lap.begin_ns, lap.end_ns},
                          .ended = true,
                          .first_lap = lap.index,
                          .laps = 1,
                          .samples = lap.samples});
    log.laps.push_back(lap);
  }
  log.last_ns = log.laps.back().end_ns;
  return log;
}

/// Returns a probe of the first rows of [first, last) that knows their length in epochs.
Result<Probe> probe_of_rows(const DawnbenchEntryRun& entry, std::size_t first, std::size_t last) {
  const std::size_t seen = std::min(last - first, kRowsSeen);
  Probe probe;
  probe.run = &entry.run;
  probe.groups = {{7, entry.run.benchmark}};
  probe.log = part_of(entry.log, first, first + seen);
  probe.stopped = from_ns(probe.log.laps.back().end_ns);
  auto profile = profile_of(probe.log, RunFacts{});
  if (!profile) return tl::unexpected(profile.error());
  probe.profile = *std::move(profile);
  const Units units = units_of(std::span(entry.log.laps).subspan(first, last - first));
  probe.plan =
      given_plan(probe.log, probe.profile, units.weight[seen - 1], sum(units.weight, seen));
  return probe;
}

std::vector<std::size_t> phases_of(const LapLog& log) {
  std::vector<double> paces;
  for (const Lap& lap : log.laps)
    paces.push_back(lap.seconds().count() / std::max<double>(1, lap.samples));
  return phase_starts(paces);
}

Seconds two_row_formula(const LapLog& log) {
  const Units units = units_of(log.laps);
  return Seconds{papers_total(units, sum(units.weight, 0), kRowsSeen)};
}

}  // namespace

std::vector<DawnbenchEntryRun> read_dawnbench(const fs::path& folder, Dropped& dropped,
                                              std::vector<std::string>& notes) {
  std::vector<DawnbenchEntryRun> entries;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) notes.push_back("dawnbench is absent: skipped");
  for (const fs::path& data_set : sorted(folder)) {
    for (const fs::path& file : sorted(data_set)) {
      if (file.extension() != ".tsv") continue;
      try {
        if (auto entry = entry_of(file)) {
          entries.push_back(*std::move(entry));
        } else {
          dropped.add("dawnbench: an entry: " + entry.error().text);
        }
      } catch (const Error&) {
        dropped.add("dawnbench: an entry whose files cannot be read");
      }
    }
  }
  return entries;
}

Result<Probe> probe_of_entry(const DawnbenchEntryRun& entry) {
  if (entry.log.laps.size() <= kRowsSeen) return because("no row is left after 2");
  auto probe = probe_of_rows(entry, 0, entry.log.laps.size());
  if (!probe) return probe;
  probe->seen = "2 epochs";
  probe->papers = two_row_formula(entry.log);
  return probe;
}

Result<Probe> probe_of_phases(const DawnbenchEntryRun& entry) {
  const std::size_t rows = entry.log.laps.size();
  const std::vector<std::size_t> starts = phases_of(entry.log);
  if (rows <= kRowsSeen) return because("no row is left after 2");
  Result<Probe> whole = because("it has no row");
  for (std::size_t i = 0; i < starts.size(); ++i) {
    auto probe = probe_of_rows(entry, starts[i], i + 1 < starts.size() ? starts[i + 1] : rows);
    if (!probe) return probe;
    if (i == 0) {
      whole = *std::move(probe);
    } else {
      whole->further_phases.push_back(*std::move(probe));
    }
  }
  whole->seen = "2 epochs of each phase (oracle)";
  whole->papers = two_row_formula(entry.log);
  return whole;
}

}  // namespace lapcast::accuracy
