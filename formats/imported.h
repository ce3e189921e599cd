#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.h"
#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

// Declares what importers return, the importers that read a whole file at once, and what all
// importers use to make runs. docs/formats.md has the contract, format_list.h the list of
// importers. No importer throws because of the contents of a log.

struct ImportedLog {
  std::vector<Run> runs;
  /// Lists the parts of the log that could not be read: "line 3: WHY".
  std::vector<std::string> problems;
};

/// Reads a log piece by piece, in memory that does not grow with it.
class LogReader {
 public:
  virtual ~LogReader() = default;
  /// Takes the next bytes of the file; a piece may end anywhere.
  virtual void feed(std::string_view piece) = 0;
  /// Returns the runs; call it once, after the last piece. `source` is the file's name in messages.
  virtual ImportedLog finish(const std::string& source) = 0;
};

/// Reads an entry of DAWNBench's training lists: its JSON (hardware, price) and its TSV (a row for
/// each epoch: number, hours since the start, accuracies). `json` may be empty; the rows alone make
/// a run. `source` is the name of the entry's files without their ending.
ImportedLog import_dawnbench(std::string_view json, std::string_view tsv,
                             const std::string& source);

/// Reads a CSV with a row for each epoch or each logged step, as the loggers of Keras, Lightning,
/// fastai and timm and the downloads of W&B and TensorBoard write it, or a table of epochs that a
/// program printed among other output; metrics_table.h says how its columns are understood. A run
/// has laps only when a column of times is there, which the loggers of Keras, Lightning and timm do
/// not write.
ImportedLog import_metrics_csv(std::string_view text, const std::string& source);
/// Returns whether a line is the header of such a CSV, with any of its separators.
bool names_metrics(std::string_view header);
/// Returns whether the begin of a text has a printed table of epochs and their times, with two rows
/// or more.
bool prints_epochs(std::string_view head);

/// Reads the history of a run of W&B as JSON: a list of rows, or one object in a line.
ImportedLog import_metrics_json(std::string_view text, const std::string& source);
/// Reads such rows of another program, one for each epoch: the history of skorch.
ImportedLog import_epochs_json(std::string_view text, const std::string& source);
/// Reads such rows of any program, one for each epoch or for some steps: metrics.json of
/// detectron2, the logs of mmengine, stats.jsonl of StyleGAN, whose numbers are "mean" of an
/// object.
ImportedLog import_rows_json(std::string_view text, const std::string& source);
/// Returns whether the begin of a text has two such rows with their times.
bool names_metrics_json(std::string_view head);

/// Reads the trainer_state.json of Hugging Face's Trainer. Its log has no times; what it says at
/// the end of a training, train_runtime and eval_runtime, is shared among the steps. That of a
/// checkpoint has no train_runtime: its run has metrics alone.
ImportedLog import_trainer_state(std::string_view text, const std::string& source);

/// Reads the lines that cloudmesh's stopwatch prints, even among other output. Their header
/// "# csv,timer,status,time,sum,start,tag,uname.node,user,uname.system,platform.version" may be
/// missing. Timers become stages; one called train, training or fit is the run's only lap. A
/// repeated timer, another tag or another node begins another run.
ImportedLog import_stopwatch_csv(std::string_view text, const std::string& source);

/// Reads the folder `metrics` of a run of MLflow: its files by their names below that folder.
ImportedLog import_mlflow(const std::map<std::string, std::string>& metrics,
                          const std::string& source);

// Text --------------------------------------------------------------------------------------------

/// Parses a text that is a number as a whole: "12", "0.5", "1e-3", "inf" or "nan". Returns nullopt
/// for any other text.
std::optional<double> text_as_number(std::string_view text);

std::string_view without_byte_order_mark(std::string_view text);

/// Counts the problems of one kind in a file, and keeps the first one for the message.
class ProblemCount {
 public:
  /// Takes the unit in which add() counts places: "line" or "record".
  explicit ProblemCount(std::string_view unit = "line") : unit_(unit) {}
  void add(std::int64_t place, std::string_view why);
  std::int64_t count() const { return count_; }
  /// Returns "line 3: WHY" for the first problem.
  const std::string& first() const { return first_; }
  /// Appends "line 3: WHY; 12 WHAT" to the messages when there was a problem.
  void tell(std::vector<std::string>& messages, std::string_view what) const;
  /// Appends "line 3: WHY (and 11 more such)" to the messages when there was a problem.
  void tell_first(std::vector<std::string>& messages) const;

 private:
  std::string_view unit_;
  std::int64_t count_ = 0;
  std::string first_;
};

// Runs --------------------------------------------------------------------------------------------

/// Returns the context of a run read from `source` in this format, without an id. `program` is what
/// was trained and `machine` what it ran on; an empty text becomes "unknown".
RunContext imported_context(std::string_view format, const std::string& source, std::string program,
                            std::string machine);

/// Makes a run's id from the contents of its log, so that a log imported twice, even under another
/// name, is one run.
class ImportedRunId {
 public:
  explicit ImportedRunId(std::string_view format) { add(format); }
  void add(std::string_view text);
  void add(std::int64_t number);
  /// Returns 12 hex digits, as in RunContext::id.
  std::string id() const;

 private:
  Fnv1a hash_;
};

/// Writes the contents of another log as a lap log (docs/lap-log.md). Times are nanoseconds since
/// the start of the run; an event earlier than the one before it gets that one's time.
class LapLogText {
 public:
  /// Takes the Unix time at time 0 in seconds (0 = not known), and the format, which becomes part
  /// of the emitter's name.
  LapLogText(double wall_seconds, std::string_view format);

  void plan(const TrainingPlan& plan);  // at the time of the event before it
  /// Writes an epoch with a single lap, for a source that logs nothing finer.
  void whole_epoch(std::int64_t begin_ns, std::int64_t end_ns, std::int32_t epoch,
                   std::int64_t samples);
  void epoch_begin(std::int64_t at_ns, std::int32_t epoch) { event(at_ns, "epoch-begin", epoch); }
  void epoch_end(std::int64_t at_ns, std::int32_t epoch) { event(at_ns, "epoch-end", epoch); }
  /// Writes the end of a lap, which began with the event before it.
  void lap(std::int64_t at_ns, std::int64_t samples) { event(at_ns, "i", samples); }
  void validation(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t samples);
  void stage_begin(std::int64_t at_ns, std::string_view name);
  void stage_end(std::int64_t at_ns, std::string_view name);
  void metric(std::int64_t at_ns, std::string_view name, double value);
  void bye(std::int64_t at_ns) { event(at_ns, "bye"); }

  const std::string& text() const { return text_; }

 private:
  void event(std::int64_t at_ns, std::string_view word, std::string_view argument = {});
  void event(std::int64_t at_ns, std::string_view word, std::int64_t argument);

  std::string text_;
  std::int64_t last_ns_ = 0;
};

/// Rounds a number of samples and limits it to kMaxSamples; returns 0 for NaN and below 0.5.
std::int64_t lap_samples(double samples);

/// Returns the median, or the larger of the two middle values of an even number. `values` must not
/// be empty.
double upper_median(std::vector<double> values);

/// Limits how far a time may be from the first one of a log: 5 years.
inline constexpr std::int64_t kLongestRunNs = 5LL * 365 * 24 * 3600 * 1'000'000'000;

/// Returns "2026-11-20T12:00:00Z"; an empty text for 0 (not known) and for times outside 1970 to
/// 2100.
std::string utc_text(double seconds_since_1970);

}  // namespace lapcast
