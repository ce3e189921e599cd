#include "formats/metrics_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "core/units.h"
#include "formats/logged_steps.h"
#include "formats/metrics_columns.h"

namespace lapcast {
namespace {

constexpr double kMostLogSeconds = 1e8;  // of an epoch, or since the start
constexpr double kFirstMoment = 1e9;     // since 1970: a larger time is a moment, not a length
constexpr double kLastMoment = 4.1e9;
constexpr double kDay = 86400;

}  // namespace

std::optional<std::size_t> MetricsTable::column(std::string_view name) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  if (columns_.size() >= kMostColumns) return std::nullopt;
  columns_.emplace_back(name);
  numbers_.emplace(name, columns_.size() - 1);
  return columns_.size() - 1;
}

void MetricsTable::add(MetricsRow row) {
  if (rows_.size() >= kMostRows)
    return left_out_.add(row.line, "more rows than the importer takes");
  if (values_ + row.values.size() > kMostValues)
    return left_out_.add(row.line, "more values than the importer takes");
  values_ += row.values.size();
  rows_.push_back(std::move(row));
}

std::optional<std::size_t> MetricsTable::named(std::span<const std::string_view> names) const {
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (plain_name(columns_[i]) == name) return i;
  return std::nullopt;
}

void MetricsTable::find_time() {
  time_ = named(kTimesSinceStart);
  if (!time_) time_ = named(kLengths);
  if (!time_) time_ = named(kMoments);
  for (std::size_t i = 0; i < columns_.size() && !time_; ++i)
    if (const auto unit = unit_of_times(columns_[i])) {
      time_ = i;
      time_unit_ = *unit;
    }
  if (!time_) time_ = column_of_moments();
  constexpr std::string_view kLoading[] = {"data_time"};
  time_is_of_a_step_ =
      time_ && step_ && plain_name(columns_[*time_]) == "time" && named(kLoading).has_value();
}

/// Returns the first column in which every row has a moment since 1970.
std::optional<std::size_t> MetricsTable::column_of_moments() const {
  std::vector<std::size_t> counts(columns_.size());
  for (const MetricsRow& row : rows_)
    for (const auto& [column, value] : row.values)
      if (value >= kFirstMoment && value < kLastMoment) ++counts[column];
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (i != epoch_ && i != step_ && counts[i] > 0 && counts[i] == rows_.size()) return i;
  return std::nullopt;
}

MetricsTable::Entry MetricsTable::entry_of(const MetricsRow& row) const {
  Entry entry{row.line};
  for (const auto& [column, value] : row.values) {
    if (column == epoch_ && std::isfinite(value))
      entry.epoch = value;
    else if (column == step_ && std::isfinite(value))
      entry.step = value;
    else if (column == time_)
      entry.time = value * time_unit_;
    else
      entry.metrics.emplace_back(column, value);
  }
  return entry;
}

/// Sorts the rows into runs.
std::vector<MetricsTable::Entries> MetricsTable::split() {
  std::vector<Entries> runs;
  double epoch = -INFINITY, step = -INFINITY;  // of the last entry that has one
  double passed = 0;                           // steps of the epochs before, where each counts anew
  bool is_below_header = false;
  for (const MetricsRow& row : rows_) {
    Entry entry = entry_of(row);
    is_below_header = is_below_header || row.after_header;
    const bool is_behind = entry.step && *entry.step + passed < step;
    if (is_behind && entry.epoch && *entry.epoch > epoch) passed = step;
    // An evaluation has a counter of its own, which is behind that of the training.
    if (time_is_of_a_step_ && is_behind && entry.epoch.value_or(epoch) == epoch) {
      entry.epoch = epoch;
      entry.step.reset();
      entry.time.reset();
    }
    if (entry.step) *entry.step += passed;
    if (!entry.epoch && !entry.step) {
      left_out_.add(row.line,
                    step_ ? "neither an epoch nor a step" : "no number in the column epoch");
      continue;
    }
    const bool falls = (entry.epoch && *entry.epoch < epoch) || (entry.step && *entry.step < step);
    const bool stays = !entry.step && !time_is_of_a_step_ && entry.epoch == epoch;
    if (runs.empty() || falls || stays) {
      if (runs.size() >= kMostRuns) {
        left_out_.add(row.line, "more runs than one file may have");
        break;
      }
      runs.emplace_back();
      if (entry.step) *entry.step -= std::exchange(passed, 0);
      epoch = step = -INFINITY;
    }
    entry.after_header = std::exchange(is_below_header, false) && !runs.back().empty();
    epoch = entry.epoch.value_or(epoch);
    step = entry.step.value_or(step);
    runs.back().push_back(std::move(entry));
  }
  return runs;
}

/// Makes one entry of those of each epoch, with the last of each number.
void MetricsTable::merge_epochs(Entries& entries) const {
  Entries merged;
  for (Entry& entry : entries) {
    if (!entry.epoch) continue;  // what was logged within an epoch
    if (merged.empty() || *merged.back().epoch != *entry.epoch) {
      merged.push_back(std::move(entry));
      continue;
    }
    Entry& last = merged.back();
    if (entry.time) last.time = entry.time;
    std::erase_if(last.metrics, [&](const auto& metric) {
      return std::ranges::any_of(entry.metrics,
                                 [&](const auto& newer) { return newer.first == metric.first; });
    });
    last.metrics.insert(last.metrics.end(), entry.metrics.begin(), entry.metrics.end());
  }
  entries = std::move(merged);
}

MetricsTable::Times MetricsTable::meaning_of(const Entries& entries) const {
  if (time_is_of_a_step_) return Times::of_a_step;
  std::vector<double> growths;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].time) continue;
    if (*entries[i].time >= kFirstMoment) return Times::since_1970;
    if (i == 0 || !entries[i - 1].time || *entries[i].time <= *entries[i - 1].time / 2) continue;
    growths.push_back(*entries[i].time - *entries[i - 1].time);
  }
  const bool grows = std::ranges::all_of(growths, [](double growth) { return growth >= 0; });
  if (!grows || growths.empty()) return Times::lengths;
  const std::string name = plain_name(columns_[*time_]);
  const auto is_named = [&](const auto& names) {
    return std::ranges::find(names, name) != std::end(names);
  };
  const bool is_sum = upper_median(growths) >= entries.front().time.value_or(0) / 2;
  const bool in_a_day = std::ranges::all_of(
      entries, [](const Entry& entry) { return entry.time.value_or(0) < kDay; });
  if (is_named(kMoments) && in_a_day && !is_sum) return Times::of_day;
  return is_named(kTimesSinceStart) || is_sum ? Times::since_start : Times::lengths;
}

/// Returns how long each entry lasted where its time is that of a step.
std::vector<double> MetricsTable::lengths_by_steps(const Entries& entries) {
  std::vector<double> growths;  // of the steps, from the second entry on
  double before = entries.front().step.value_or(0);
  for (const Entry& entry : std::span(entries).subspan(1)) {
    growths.push_back(entry.step.value_or(before) - before);
    before = entry.step.value_or(before);
  }
  const double usual = growths.empty() ? 0 : upper_median(growths);
  growths.insert(growths.begin(), std::min(entries.front().step.value_or(0), usual));
  std::vector<double> lengths;
  for (std::size_t i = 0; i < entries.size(); ++i)
    lengths.push_back(growths[i] > 0 ? entries[i].time.value_or(NAN) * growths[i] : 0);
  return lengths;
}

/// Returns the times of moments since the first one. Those of a day begin anew at midnight.
std::vector<double> MetricsTable::since_first(const Entries& entries, bool of_day) {
  std::vector<double> times;
  double days = 0;
  for (const Entry& entry : entries) {
    const double time = entry.time.value_or(NAN) - entries.front().time.value_or(0);
    if (of_day && !times.empty() && time + days < times.back()) days += kDay;
    times.push_back(time + days);
  }
  return times;
}

std::vector<double> MetricsTable::times_of(const Entries& entries, const Ends& ends) {
  if (ends.meaning == Times::of_a_step) return lengths_by_steps(entries);
  if (ends.since_first_row()) return since_first(entries, ends.meaning == Times::of_day);
  std::vector<double> times;
  for (const Entry& entry : entries) times.push_back(entry.time.value_or(NAN));
  return times;
}

MetricsTable::Ends MetricsTable::ends_of(const Entries& entries) const {
  Ends ends;
  if (!time_) {
    ends.why_not = "its rows have no times: only the metrics of each epoch are known";
    return ends;
  }
  ends.meaning = meaning_of(entries);
  if (ends.meaning == Times::since_1970) ends.start = entries.front().time.value_or(0);
  const std::vector<double> times = times_of(entries, ends);
  const bool are_lengths = ends.meaning == Times::lengths || ends.meaning == Times::of_a_step;
  double sum = 0, session = 0, before = 0;  // session: what went before the program started again
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double time = times[i];
    const bool again = ends.meaning == Times::since_start && sum > 0 && time <= before / 2;
    if (again) session = sum;
    const double earlier = sum;
    sum = are_lengths ? sum + time : session + time;
    before = time;
    if (!(time >= 0 && sum >= earlier && sum < kMostLogSeconds && ends.start < kLastMoment)) {
      ends.seconds.clear();
      ends.start = 0;
      ends.why_not = fmt::format("line {}: its column '{}' has no time, or one that goes back",
                                 entries[i].line, printable(columns_[*time_], 40));
      return ends;
    }
    ends.seconds.push_back(sum);
  }
  return ends;
}

/// Returns whether the points of a run are logged steps, of which an epoch has several.
bool MetricsTable::are_steps(const Entries& entries) const {
  std::size_t steps = 0, epochs = 0;
  double last_step = -INFINITY, last_epoch = -INFINITY;
  for (const Entry& entry : entries) {
    if (entry.step && *entry.step > last_step) ++steps, last_step = *entry.step;
    if (entry.epoch && *entry.epoch > last_epoch) ++epochs, last_epoch = *entry.epoch;
  }
  const bool whole = std::ranges::all_of(entries, [](const Entry& entry) {
    return !entry.epoch || *entry.epoch == std::floor(*entry.epoch);
  });
  return steps >= 2 && (epochs == 0 || !whole || steps > epochs + 1);
}

std::string MetricsTable::epochs_log(const Entries& entries, const Ends& ends) const {
  LapLogText log(ends.start, format_);
  log.plan({.epochs = static_cast<std::int64_t>(entries.size()), .iterations_per_epoch = 1});
  std::int64_t at_ns = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto epoch = static_cast<std::int32_t>(i + 1);
    const std::int64_t begin_ns = at_ns;
    if (!ends.seconds.empty()) at_ns = std::llround(ends.seconds[i] * 1e9);
    log.epoch_begin(begin_ns, epoch);
    if (!ends.seconds.empty() && (i > 0 || !ends.since_first_row())) log.lap(at_ns, 0);
    log.epoch_end(at_ns, epoch);
    for (const auto& [column, value] : entries[i].metrics)
      log.metric(at_ns, columns_[column], value);
  }
  return log.text();
}

std::string MetricsTable::steps_log(const Entries& entries, const Ends& ends, Run& run) const {
  LoggedSteps steps;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::int64_t at_ns = ends.seconds.empty() ? 0 : std::llround(ends.seconds[i] * 1e9);
    bool is_evaluation = !entries[i].metrics.empty();
    for (const auto& [column, value] : entries[i].metrics) {
      is_evaluation = is_evaluation && is_of_evaluation(columns_[column]);
      steps.metric(at_ns, columns_[column], value);
    }
    if (entries[i].step && !is_evaluation && !ends.seconds.empty())
      steps.point(at_ns, std::llround(std::clamp(*entries[i].step, 0.0, 1e15)));
    if (is_evaluation) steps.evaluation(at_ns);
  }
  if (steps.points() >= 2) {
    run.ended_ns = std::max<std::int64_t>(steps.end_ns(), std::llround(ends.seconds.back() * 1e9));
    run.warnings.push_back(steps.what_laps_are(fmt::format("the column '{}'", columns_[*time_])));
    if (ends.meaning == Times::of_a_step)
      run.warnings.emplace_back(
          "its times are those of single steps: evaluations, and what else lay between steps, are "
          "not in the log");
  }
  return steps.lap_log(ends.start, format_);
}

Run MetricsTable::run_of(Entries entries, const std::string& source) const {
  const bool by_steps = are_steps(entries) && time_;
  if (!by_steps) merge_epochs(entries);
  Run run;
  ImportedRunId run_id(format_);
  for (const Entry& entry : entries) {
    run_id.add(std::llround(std::clamp(entry.epoch.value_or(0), -1e15, 1e15)));
    if (by_steps) run_id.add(fmt::format("step {}", entry.step.value_or(-1)));
    run_id.add(fmt::format("{}", entry.time.value_or(0)));
    for (const auto& [column, value] : entry.metrics)
      run_id.add(fmt::format("{}={}", columns_[column], value));
  }
  run.context = imported_context(format_, source, source, "");
  run.context.id = run_id.id();
  const Ends ends = entries.empty() ? Ends{} : ends_of(entries);
  run.context.started_at = utc_text(ends.start);
  run.lap_logs = {by_steps ? steps_log(entries, ends, run) : epochs_log(entries, ends)};
  const std::size_t unknown = ends.since_first_row() ? 1 : 0;  // when the first one began
  if (!by_steps && ends.seconds.size() > unknown) {
    run.ended_ns = std::llround(ends.seconds.back() * 1e9);
    run.warnings.push_back(fmt::format("laps are the epochs of the log, by its column '{}'",
                                       printable(columns_[*time_], 40)));
  }
  if (run.ended_ns > 0)
    run.outcome = outcome::BudgetSpent{"such a log does not say whether the training had ended"};
  else
    run.outcome = outcome::NoLaps{ends.why_not.empty() ? "one moment makes no lap" : ends.why_not};
  return run;
}

ImportedLog MetricsTable::runs(const std::string& source) {
  epoch_ = named(kEpochs);
  step_ = named(kSteps);
  find_time();
  ImportedLog result;
  for (Entries& entries : split()) result.runs.push_back(run_of(std::move(entries), source));
  left_out_.tell(result.problems, "rows left out in all");
  if (columns_.empty() || (!epoch_ && !step_))
    result.problems.emplace_back("no header with a column epoch or step");
  else if (result.runs.empty())
    result.problems.emplace_back("no row with an epoch or a step");
  return result;
}

}  // namespace lapcast
