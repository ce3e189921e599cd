#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/imported.h"

namespace lapcast {

/// Holds what a log of metrics has in a row: numbers by the name of their column.
struct MetricsRow {
  std::int64_t line = 0;
  bool after_header = false;                           // the row is the first below another header
  std::vector<std::pair<std::size_t, double>> values;  // by column, in any order
};

/// Makes runs of the rows of a log of metrics: a row or several for each epoch, or one for each
/// logged step. What the columns mean is found by their names and what their numbers do:
///
/// - The epoch, and the step, are columns of that name ("epoch", "_step", "trainer/global_step").
///   Where the epochs do not grow, or the steps fall, another run begins.
/// - A column of times ("elapsed", "_runtime", "timestamp", "epoch_time", "Time (min)"; without
///   such a name one that has nothing but moments since 1970) that grows from row to row by about
///   as much as its first number, or by its name, is the time since the start or since 1970; any
///   other one has lengths. Where a time since the start falls to half or less, the program was
///   started again, and went on. Moments without a date ("23:59:40") go on after midnight. A column
///   "time" beside "data_time" has the time of one step, as detectron2 and mmengine write it.
/// - Steps that begin again with each epoch are counted on.
/// - All other columns are metrics.
///
/// With steps a lap is a step (LoggedSteps says how), otherwise an epoch.
class MetricsTable {
 public:
  static constexpr std::size_t kMostRows = 200'000;
  static constexpr std::size_t kMostValues = 1'000'000;
  static constexpr std::size_t kMostRuns = 1000;
  static constexpr std::size_t kMostColumns = 10'000;

  /// Takes the name of the format, for the runs.
  explicit MetricsTable(std::string_view format) : format_(format) {}

  /// Returns the number of the column of that name, which is made if need be; nullopt where there
  /// are too many.
  std::optional<std::size_t> column(std::string_view name);
  /// Adds a row of a line of the file.
  void add(MetricsRow row);
  /// Counts a row that cannot be used.
  void leave_out(std::int64_t line, std::string_view why) { left_out_.add(line, why); }
  bool has_columns() const { return !columns_.empty(); }

  /// Returns the runs. `source` is the file's name in messages.
  ImportedLog runs(const std::string& source);

 private:
  enum class Times { none, lengths, of_a_step, since_start, since_1970, of_day };
  struct Entry {
    std::int64_t line = 0;
    bool after_header = false;
    std::optional<double> epoch, step, time;
    std::vector<std::pair<std::size_t, double>> metrics;
  };
  using Entries = std::vector<Entry>;
  /// Holds the ends of the entries in seconds since the run began.
  struct Ends {
    Times meaning = Times::none;
    std::vector<double> seconds;  // empty where they cannot be used
    double start = 0;             // since 1970; 0 = not known
    std::string why_not;

    /// Returns whether the times are moments, so that it is not known how long the first row took.
    bool since_first_row() const {
      return meaning == Times::since_1970 || meaning == Times::of_day;
    }
  };

  std::optional<std::size_t> named(std::span<const std::string_view> names) const;
  void find_time();
  std::optional<std::size_t> column_of_moments() const;
  Entry entry_of(const MetricsRow& row) const;
  std::vector<Entries> split();
  void merge_epochs(Entries& entries) const;
  Times meaning_of(const Entries& entries) const;
  static std::vector<double> lengths_by_steps(const Entries& entries);
  static std::vector<double> since_first(const Entries& entries, bool of_day);
  static std::vector<double> times_of(const Entries& entries, const Ends& ends);
  Ends ends_of(const Entries& entries) const;
  bool are_steps(const Entries& entries) const;
  std::string epochs_log(const Entries& entries, const Ends& ends) const;
  std::string steps_log(const Entries& entries, const Ends& ends, Run& run) const;
  Run run_of(Entries entries, const std::string& source) const;

  std::string format_;
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::optional<std::size_t> epoch_, step_, time_;  // columns, once all rows are known
  double time_unit_ = 1;                            // seconds
  bool time_is_of_a_step_ = false;
  std::vector<MetricsRow> rows_;
  std::size_t values_ = 0;
  ProblemCount left_out_;
};

}  // namespace lapcast
