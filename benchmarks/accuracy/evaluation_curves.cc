#include "accuracy/evaluation_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "accuracy/csv_table.h"
#include "accuracy/quality_target.h"
#include "commands/import/import_logs.h"
#include "core/error.h"
#include "posix/gzip_file.h"

namespace lapcast::accuracy {
namespace {

namespace fs = std::filesystem;

constexpr double kMostEpochs = 10'000;
constexpr const char* kTwice = "evaluations of a run that a table had before";

/// Holds evaluations as logged; their places may be missing.
struct RawRun {
  std::string run;
  std::vector<double> places;  // not finite when missing
  std::vector<double> values;
};

std::vector<fs::path> tables_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".csv") || name.ends_with(".csv.gz")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void read_table(const fs::path& file, std::vector<RawRun>& raw, Dropped& dropped,
                std::vector<std::string>& notes) {
  const std::string name = file.filename().string();
  CsvTable table({"run_id", "epoch_or_samples", "value"}, [&](CsvTable::Cells cells) {
    const auto value = number(cells[2]);
    if (!value || cells[0].empty())
      return dropped.add(name + ": an evaluation without run or value");
    if (raw.empty() || raw.back().run != cells[0]) raw.push_back({std::string(cells[0]), {}, {}});
    raw.back().places.push_back(
        number(cells[1]).value_or(std::numeric_limits<double>::quiet_NaN()));
    raw.back().values.push_back(*value);
  });
  try {
    if (!for_each_piece(file.string(), [&](std::string_view piece) { table.feed(piece); }))
      notes.push_back(fmt::format("{} is cut off or damaged: used up to there", name));
    table.finish();
  } catch (const Error& error) {
    return notes.push_back(fmt::format("{}: skipped", error.what()));
  }
  dropped.add(name + ": a row that is not CSV or has too few or too many cells", table.damaged());
}

bool are_epochs(const std::vector<double>& places) {
  double last = -kMostEpochs;
  for (const double place : places) {
    if (!(place > last) || place > kMostEpochs) return false;
    last = place;
  }
  return true;
}

LearningCurve curve_of(const RawRun& raw) {
  LearningCurve curve;
  curve.counts_reports = !are_epochs(raw.places);
  double shift = 0;
  if (!curve.counts_reports && raw.places[0] <= 0)
    shift = -raw.places[0] + (raw.places.size() > 1 ? raw.places[1] - raw.places[0] : 1);
  for (std::size_t i = 0; i < raw.values.size(); ++i) {
    const double epochs = curve.counts_reports ? static_cast<double>(i) + 1 : raw.places[i] + shift;
    curve.points.push_back({epochs, raw.values[i]});
  }
  return curve;
}

void add(const RawRun& raw, LoggedRuns& runs, std::vector<EvaluatedRun>& evaluated,
         Dropped& dropped) {
  const LoggedRun* run = runs.find(raw.run);
  if (run == nullptr) return dropped.add("evaluations of a run that runs.csv does not have");
  const auto goal = quality_target(run->benchmark, run->round);
  if (!goal) return dropped.add("evaluations of a benchmark whose target is not known");
  evaluated.push_back(
      {raw.run, run->submitter, run->benchmark, run->global_batch, *goal, curve_of(raw)});
}

void drop_doubles(std::vector<EvaluatedRun>& evaluated, Dropped& dropped) {
  std::unordered_map<std::string, int> seen;
  const std::size_t before = evaluated.size();
  std::erase_if(evaluated, [&](const EvaluatedRun& run) { return ++seen[run.run] > 1; });
  dropped.add(kTwice, static_cast<std::int64_t>(before - evaluated.size()));
}

}  // namespace

std::vector<EvaluatedRun> read_evaluations(const fs::path& folder, LoggedRuns& runs,
                                           Dropped& dropped, std::vector<std::string>& notes) {
  std::vector<RawRun> raw;
  const auto files = tables_of(folder);
  if (files.empty()) notes.push_back("curves/ has no table: epochs to target are skipped");
  for (const fs::path& file : files) read_table(file, raw, dropped, notes);
  std::vector<EvaluatedRun> evaluated;
  for (const RawRun& run : raw) add(run, runs, evaluated, dropped);
  drop_doubles(evaluated, dropped);
  return evaluated;
}

}  // namespace lapcast::accuracy
