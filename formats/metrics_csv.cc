#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"
#include "formats/imported.h"
#include "price/csv_rows.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostKerasRows = 200'000;
constexpr std::size_t kMostValues = 1'000'000;
constexpr std::size_t kMostKerasRuns = 1000;
constexpr double kMostKerasSeconds = 1e8;  // of an epoch, or since the start
constexpr double kFirstCsvSecond = 1e9;    // since 1970: a larger time is a moment, not a length
constexpr double kLastCsvSecond = 4.1e9;

/// Says what a column of times means.
enum class TimeColumn { none, length, moment };

constexpr std::pair<std::string_view, TimeColumn> kTimeColumns[] = {
    {"duration", TimeColumn::length},   {"epoch_duration", TimeColumn::length},
    {"epoch_time", TimeColumn::length}, {"epoch_seconds", TimeColumn::length},
    {"seconds", TimeColumn::length},    {"time", TimeColumn::length},
    {"elapsed", TimeColumn::moment},    {"elapsed_seconds", TimeColumn::moment},
    {"wall_time", TimeColumn::moment},  {"timestamp", TimeColumn::moment},
};

struct Epoch {
  std::int64_t line = 0;
  double csv_number = 0;
  std::optional<double> time;  // a length or a moment, as TimeColumn says
  std::vector<std::pair<std::string, double>> metrics;
};

class KerasCsvReader {
 public:
  ImportedLog read(std::string_view text, const std::string& source) {
    // The logger's separator can be chosen; the header shows which one it is.
    const std::string_view header = text.substr(0, std::min(text.find('\n'), text.size()));
    std::string commas;
    if (header.find(',') == std::string_view::npos) {
      commas = text;
      const char separator = header.find('\t') != std::string_view::npos ? '\t' : ';';
      std::replace(commas.begin(), commas.end(), separator, ',');
      text = commas;
    }
    for_each_csv_row(text, [this](const CsvRow& row) { take(row); });
    left_out_.tell(result_.problems, "rows left out in all");
    if (columns_.empty()) problem("no header with a column epoch");
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!runs_[i].empty()) result_.runs.push_back(run_of(runs_[i], source));
    }
    if (!columns_.empty() && result_.runs.empty()) problem("no row with an epoch");
    return std::move(result_);
  }

 private:
  void problem(std::string text) { result_.problems.push_back(std::move(text)); }

  bool is_header(const CsvRow& row) const {
    return std::find(row.fields.begin(), row.fields.end(), "epoch") != row.fields.end();
  }

  void take(const CsvRow& row) {
    if (!row.damage.empty()) return left_out_.add(row.line, row.damage);
    if (is_header(row)) return take_header(row);
    if (columns_.empty()) return;
    if (++rows_ > kMostKerasRows)
      return left_out_.add(row.line, "more rows than the importer takes");
    Epoch epoch{row.line, NAN, std::nullopt, {}};
    for (std::size_t i = 0; i < columns_.size() && i < row.fields.size(); ++i) {
      const std::optional<double> value = text_as_number(row.fields[i]);
      if (!value) continue;
      if (columns_[i] == "epoch")
        epoch.csv_number = *value;
      else if (i == time_column_)
        epoch.time = value;
      else
        epoch.metrics.emplace_back(columns_[i], *value);
    }
    if (!std::isfinite(epoch.csv_number))
      return left_out_.add(row.line, "no number in the column epoch");
    const bool another = runs_.empty() || (!runs_.back().empty() &&
                                           epoch.csv_number <= runs_.back().back().csv_number);
    if (another && runs_.size() >= kMostKerasRuns)
      return left_out_.add(row.line, "more runs than one file may have");
    if ((values_ += epoch.metrics.size()) > kMostValues)
      return left_out_.add(row.line, "more values than the importer takes");
    if (another) runs_.emplace_back();
    runs_.back().push_back(std::move(epoch));
  }

  void take_header(const CsvRow& row) {
    columns_ = row.fields;
    time_column_ = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (const auto& [name, meaning] : kTimeColumns) {
        if (columns_[i] != name || time_column_ < columns_.size()) continue;
        time_column_ = i;
        meaning_ = meaning;
      }
    }
  }

  struct Times {
    std::vector<double> ends;  // seconds since the run began; empty where they cannot be used
    double start = 0;          // since 1970; 0 = not known
    bool first_known = true;   // whether it is known when the first epoch began
    std::string why_not;
  };

  Times times_of(const std::vector<Epoch>& epochs) const {
    Times times;
    if (time_column_ == columns_.size()) {
      times.why_not = "its rows have no times: only the metrics of each epoch are known";
      return times;
    }
    double sum = 0;
    const double first = epochs.front().time.value_or(0);
    const bool absolute = meaning_ == TimeColumn::moment && first >= kFirstCsvSecond;
    if (absolute) {
      times.start = first;
      times.first_known = false;
    }
    for (const Epoch& epoch : epochs) {
      const double time = epoch.time.value_or(NAN) - (absolute ? first : 0);
      const double before = sum;
      sum = meaning_ == TimeColumn::length ? sum + time : time;
      if (!(time >= 0 && sum >= before && sum < kMostKerasSeconds &&
            times.start < kLastCsvSecond)) {
        times.ends.clear();
        times.start = 0;
        times.why_not = fmt::format("line {}: its column '{}' has no time, or one that goes back",
                                    epoch.line, printable(columns_[time_column_], 40));
        return times;
      }
      times.ends.push_back(sum);
    }
    return times;
  }

  std::string lap_log(const std::vector<Epoch>& epochs, const Times& times) const {
    LapLogText log(times.start, "keras-csv");
    log.plan({.epochs = static_cast<std::int64_t>(epochs.size()), .iterations_per_epoch = 1});
    std::int64_t at_ns = 0;
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      const auto epoch = static_cast<std::int32_t>(i + 1);
      const std::int64_t begin_ns = at_ns;
      if (!times.ends.empty()) at_ns = std::llround(times.ends[i] * 1e9);
      const bool timed = !times.ends.empty() && (i > 0 || times.first_known);
      log.epoch_begin(begin_ns, epoch);
      if (timed) log.lap(at_ns, 0);
      log.epoch_end(at_ns, epoch);
      for (const auto& [name, value] : epochs[i].metrics) log.metric(at_ns, name, value);
    }
    return log.text();
  }

  Run run_of(const std::vector<Epoch>& epochs, const std::string& source) const {
    const Times times = times_of(epochs);
    Run run;
    ImportedRunId run_id("keras-csv");
    for (const Epoch& epoch : epochs) {
      run_id.add(std::llround(epoch.csv_number));
      run_id.add(fmt::format("{}", epoch.time.value_or(0)));
      for (const auto& [name, value] : epoch.metrics) run_id.add(fmt::format("{}={}", name, value));
    }
    run.context = imported_context("keras-csv", source, source, "");
    run.context.id = run_id.id();
    run.context.started_at = utc_text(times.start);
    run.lap_logs = {lap_log(epochs, times)};
    const std::size_t laps = times.ends.size() - (times.first_known || times.ends.empty() ? 0 : 1);
    if (laps > 0) {
      run.ended_ns = std::llround(times.ends.back() * 1e9);
      run.outcome = outcome::BudgetSpent{"a CSV log does not say whether the training had ended"};
      run.warnings.push_back(fmt::format("laps are the epochs of the log, by its column '{}'",
                                         printable(columns_[time_column_], 40)));
    } else {
      run.outcome =
          outcome::NoLaps{times.why_not.empty() ? "one moment makes no lap" : times.why_not};
    }
    return run;
  }

  ImportedLog result_;
  std::vector<std::string> columns_;
  std::size_t time_column_ = 0;
  TimeColumn meaning_ = TimeColumn::none;
  std::vector<std::vector<Epoch>> runs_;
  std::size_t rows_ = 0;
  std::size_t values_ = 0;
  ProblemCount left_out_;
};

}  // namespace

ImportedLog import_keras_csv(std::string_view text, const std::string& source) {
  return KerasCsvReader().read(text, source);
}

}  // namespace lapcast
