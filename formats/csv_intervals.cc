#include "formats/csv_intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/units.h"
#include "price/csv_rows.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostIntervalRows = 1'000'000;
constexpr std::size_t kMostIntervalRuns = 10'000;
constexpr double kMostIntervalSteps = 1e15;
constexpr double kMostIntervalSeconds = 1e8;

/// Gives the names that a column usually has; the first one that a header has counts.
const std::map<std::string_view, std::vector<std::string_view>> kUsualNames{
    {"step", {"step", "global_step", "steps", "iteration", "_step"}},
    {"seconds",
     {"seconds", "total_duration", "elapsed", "runtime", "_runtime", "wall_time", "time",
      "iteration_s"}},
    {"evaluation_seconds", {"evaluation_seconds", "eval_seconds", "accumulated_eval_time"}},
    {"run", {"run", "run_id", "file"}},
    {"evaluation", {"evaluation", "eval"}}};

struct IntervalRow {
  double step = 0;
  double seconds = 0;                                   // as the file has them
  double evaluation = 0;                                // likewise
  std::vector<std::pair<std::size_t, double>> metrics;  // by column
};

/// Holds the rows of one run. Its times are since the start, unless they fall. Rows that would end
/// after more than three years are left out.
struct IntervalRows {
  std::string run;
  std::vector<IntervalRow> rows;

  void count_from_start() {
    const auto falls = [](const IntervalRow& a, const IntervalRow& b) {
      return b.seconds < a.seconds;
    };
    if (std::ranges::adjacent_find(rows, falls) == rows.end()) return;
    double seconds = 0, evaluation = 0;
    for (IntervalRow& row : rows) {
      row.seconds = seconds += row.seconds;
      row.evaluation = evaluation += row.evaluation;
    }
    std::erase_if(rows, [](const IntervalRow& row) { return row.seconds > kMostIntervalSeconds; });
  }

  double usual_steps() const {
    std::vector<double> steps;
    for (std::size_t i = 1; i < rows.size(); ++i) steps.push_back(rows[i].step - rows[i - 1].step);
    return steps.empty() ? rows.front().step : upper_median(std::move(steps));
  }
};

class IntervalReader {
 public:
  IntervalReader(const IntervalColumns& named, std::string_view format)
      : named_(named), format_(format) {}

  ImportedLog read(std::string_view text, const std::string& source) {
    for_each_csv_row(text, [&](const CsvRow& row) {
      if (!row.damage.empty()) return left_out_.add(row.line, row.damage);
      if (header_.empty()) return take_header(row.fields);
      if (place_.contains("step") && place_.contains("seconds")) take_row(row);
    });
    ImportedLog result;
    for (IntervalRows& rows : runs_) result.runs.push_back(run_of(std::move(rows), source));
    left_out_.tell(result.problems, "rows left out in all");
    for (const auto& [meaning, name] : named_)
      if (!place_.contains(meaning))
        result.problems.push_back(fmt::format("no column '{}'", printable(name, 40)));
    if (result.runs.empty() && result.problems.empty())
      result.problems.emplace_back(place_.contains("step") && place_.contains("seconds")
                                       ? "no row with steps and seconds"
                                       : "no columns of steps and seconds; --columns names them");
    return result;
  }

 private:
  void take_header(const std::vector<std::string>& fields) {
    header_ = fields;
    for (const auto& [meaning, usual] : kUsualNames) {
      const std::string key(meaning);
      const auto named = named_.find(key);
      const auto find = [&](std::string_view name) {
        const auto at = std::ranges::find(header_, name);
        if (at == header_.end()) return false;
        place_[key] = static_cast<std::size_t>(at - header_.begin());
        return true;
      };
      if (named != named_.end())
        find(named->second);
      else
        (void)std::ranges::any_of(usual, find);
    }
  }

  std::optional<double> number_in(const CsvRow& row, const std::string& meaning,
                                  double most) const {
    const auto place = place_.find(meaning);
    if (place == place_.end() || place->second >= row.fields.size()) return std::nullopt;
    const auto value = text_as_number(row.fields[place->second]);
    return value && *value >= 0 && *value <= most ? value : std::nullopt;
  }

  void take_row(const CsvRow& row) {
    const auto step = number_in(row, "step", kMostIntervalSteps);
    const auto seconds = number_in(row, "seconds", kMostIntervalSeconds);
    if (!step || !seconds) return left_out_.add(row.line, "no steps with their seconds");
    if (place_.contains("evaluation") && !number_in(row, "evaluation", kMostIntervalSteps))
      return left_out_.add(row.line, "no number of an evaluation");
    if (++rows_ > kMostIntervalRows)
      return left_out_.add(row.line, "more rows than the importer takes");
    IntervalRow taken{
        *step, *seconds, number_in(row, "evaluation_seconds", *seconds).value_or(0), {}};
    const auto of_run = place_.find("run");
    const std::string run = of_run != place_.end() && of_run->second < row.fields.size()
                                ? row.fields[of_run->second]
                                : "";
    IntervalRows* rows = rows_for(run, taken);
    if (rows == nullptr) return left_out_.add(row.line, "more runs than one file may have");
    if (!rows->rows.empty() && taken.step == rows->rows.back().step)
      return left_out_.add(row.line, "the steps do not grow");
    add_metrics(row, taken);
    rows->rows.push_back(std::move(taken));
  }

  IntervalRows* rows_for(const std::string& run, const IntervalRow& row) {
    const bool goes_on =
        !runs_.empty() && runs_.back().run == run && runs_.back().rows.back().step <= row.step;
    if (goes_on) return &runs_.back();
    if (runs_.size() >= kMostIntervalRuns) return nullptr;
    runs_.push_back({run, {}});
    return &runs_.back();
  }

  void add_metrics(const CsvRow& row, IntervalRow& taken) const {
    constexpr std::size_t kMostMetrics = 20;
    std::set<std::size_t> known;
    for (const auto& [meaning, place] : place_) known.insert(place);
    for (std::size_t i = 0; i < std::min(row.fields.size(), header_.size()); ++i) {
      if (known.contains(i) || taken.metrics.size() >= kMostMetrics) continue;
      if (const auto value = text_as_number(row.fields[i])) taken.metrics.emplace_back(i, *value);
    }
  }

  static std::int64_t ns_of(double seconds) { return std::llround(seconds * 1e9); }

  /// Returns the lap log; `laps` becomes the number of its laps.
  std::string lap_log_of(const IntervalRows& run, std::size_t& laps) const {
    const double usual = std::max(1.0, run.usual_steps());
    const IntervalRow& last = run.rows.back();
    IntervalRow before;
    LapLogText log(0, format_);
    log.plan({.epochs = std::max<std::int64_t>(1, lap_samples(last.step / usual)),
              .iterations_per_epoch = 1,
              .training_samples = lap_samples(usual)});
    for (const IntervalRow& row : run.rows) {
      const double evaluated =
          std::clamp(row.evaluation - before.evaluation, 0.0, row.seconds - before.seconds);
      const std::int64_t trained_ns = ns_of(row.seconds - evaluated);
      const std::int64_t samples = lap_samples(row.step - before.step);
      const bool is_start = laps == 0 && row.step < usual / 2;
      if (!is_start && samples > 0)
        log.whole_epoch(ns_of(before.seconds), trained_ns, static_cast<std::int32_t>(++laps),
                        samples);
      if (evaluated > 0) log.validation(trained_ns, ns_of(row.seconds), 0);
      for (const auto& [column, value] : row.metrics)
        log.metric(ns_of(row.seconds), header_[column], value);
      before = row;
    }
    return log.text();
  }

  Run run_of(IntervalRows rows, const std::string& source) const {
    rows.count_from_start();
    Run run;
    ImportedRunId run_id(format_);
    run_id.add(rows.run);
    for (const IntervalRow& row : rows.rows) {
      run_id.add(std::llround(row.step));
      run_id.add(ns_of(row.seconds));
    }
    const std::string of = rows.run.empty() ? source : source + " " + printable(rows.run, 100);
    run.context = imported_context(format_, of, source, "");
    run.context.id = run_id.id();
    std::size_t laps = 0;
    run.lap_logs = {lap_log_of(rows, laps)};
    run.ended_ns = ns_of(rows.rows.back().seconds);
    if (laps == 0) {
      run.outcome = outcome::NoLaps{"one moment makes no lap"};
      return run;
    }
    run.outcome = outcome::BudgetSpent{"such a log does not say whether the training had ended"};
    run.warnings.push_back("laps are the intervals of the table, without their evaluations");
    return run;
  }

  const IntervalColumns& named_;
  std::string format_;
  std::vector<std::string> header_;
  std::map<std::string, std::size_t> place_;  // of a column by its meaning
  std::vector<IntervalRows> runs_;
  std::size_t rows_ = 0;
  ProblemCount left_out_;
};

}  // namespace

ImportedLog import_intervals(std::string_view text, const std::string& source,
                             const IntervalColumns& named, std::string_view format) {
  return IntervalReader(named, format).read(without_byte_order_mark(text), source);
}

Result<IntervalColumns> interval_columns(std::string_view text) {
  IntervalColumns columns;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    const std::size_t equals = part.find('=');
    const std::string_view meaning = part.substr(0, equals);
    if (equals == std::string_view::npos || equals + 1 == part.size() ||
        std::ranges::find(kIntervalColumns, meaning) == std::end(kIntervalColumns))
      return because(
          fmt::format("'{}' is not MEANING=COLUMN with step, seconds, evaluation_seconds, run or "
                      "evaluation before the =",
                      printable(std::string(part), 60)));
    columns.insert_or_assign(std::string(meaning), std::string(part.substr(equals + 1)));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return columns;
}

}  // namespace lapcast
