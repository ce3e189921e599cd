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

constexpr std::string_view kPrefix = "# csv,";
constexpr std::size_t kMostStopwatchRows = 100'000;
constexpr std::size_t kMostRuns = 1000;
constexpr std::size_t kMostTimers = 1000;  // of a run
constexpr double kMostSeconds = 1e8;

struct Timer {
  std::int64_t line = 0;
  std::string name;
  std::string status;
  std::string start;  // as printed
  double seconds = 0;
};

/// Holds the timers of one run, and where it ran.
struct Watch {
  std::string tag, node, user, system, version;
  std::vector<Timer> timers;
  double seconds = 0;  // of all of them
};

std::optional<double> seconds_of(std::string_view text) {
  const auto value = text_as_number(text);
  return value && *value >= 0 && *value < kMostSeconds ? value : std::nullopt;
}

bool is_training(std::string_view name) {
  return name == "train" || name == "training" || name == "fit";
}

const std::vector<std::string> kUsualColumns{
    "timer", "status",     "time", "sum",          "start",
    "tag",   "uname.node", "user", "uname.system", "platform.version"};
const std::vector<std::string> kColumnsWithMessage{
    "timer", "status",     "time", "sum",          "start",           "tag",
    "msg",   "uname.node", "user", "uname.system", "platform.version"};

/// Returns "2022-03-01T12:00:00Z" for "2022-03-01 12:00:00", which is taken as UTC; empty for text
/// that is not a time.
std::string started_at(std::string_view start) {
  if (start.size() < 19) return "";
  std::string text(start.substr(0, 19));
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char expected = "dddd-dd-dd dd:dd:dd"[i];
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (expected == 'd' ? !digit : text[i] != expected) return "";
  }
  text[10] = 'T';
  return text + "Z";
}

class StopwatchCsvReader {
 public:
  ImportedLog read(std::string_view text, const std::string& source) {
    std::int64_t line = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take_line(++line, text.substr(0, end));
      text.remove_prefix(std::min(text.size(), end + 1));
    }
    left_out_.tell(result_.problems, "lines in all");
    for (const Watch& watch : watches_) result_.runs.push_back(run_of(watch, source));
    if (result_.runs.empty())
      result_.problems.emplace_back("no line of a stopwatch (\"# csv,...\")");
    return std::move(result_);
  }

 private:
  void take_line(std::int64_t line, std::string_view text) {
    const bool marked = text.starts_with(kPrefix);
    if (marked) text.remove_prefix(kPrefix.size());
    if (!marked && !bare_ && !text.starts_with("timer,status,time")) return;
    std::vector<std::string> fields;
    std::string damage;
    for_each_csv_row(text, [&](const CsvRow& row) {
      fields = row.fields;
      damage = row.damage;
    });
    if (!damage.empty()) return left_out_.add(line, damage);
    if (fields.empty()) return;
    if (fields[0] == "timer") {
      columns_ = fields;
      bare_ = !marked;  // the rows under such a header have no mark either
      return;
    }
    take_row(line, fields);
  }

  /// Returns the columns of a row: those of the header, else the usual ones, which since 2021 have
  /// a message before the node. The name of the system tells which.
  const std::vector<std::string>& columns_of(const std::vector<std::string>& fields) const {
    if (!columns_.empty()) return columns_;
    const auto is_system = [&](std::size_t i) {
      return i < fields.size() &&
             (fields[i] == "Linux" || fields[i] == "Darwin" || fields[i] == "Windows");
    };
    const bool has_message =
        is_system(9) || (!is_system(8) && fields.size() > kUsualColumns.size());
    return has_message ? kColumnsWithMessage : kUsualColumns;
  }

  std::string field(const std::vector<std::string>& fields, std::string_view column) const {
    const std::vector<std::string>& columns = columns_of(fields);
    const auto at = std::find(columns.begin(), columns.end(), column);
    const auto i = static_cast<std::size_t>(at - columns.begin());
    return i < fields.size() ? fields[i] : "";
  }

  void take_row(std::int64_t line, const std::vector<std::string>& fields) {
    if (++rows_ > kMostStopwatchRows)
      return left_out_.add(line, "more lines than the importer takes");
    const auto seconds = seconds_of(field(fields, "time"));
    Timer timer{line, field(fields, "timer"), field(fields, "status"), field(fields, "start"), 0};
    if (timer.name.empty() || !seconds)
      return left_out_.add(line, "no timer with a time in seconds");
    timer.seconds = *seconds;
    Watch watch{field(fields, "tag"),
                field(fields, "uname.node"),
                field(fields, "user"),
                field(fields, "uname.system"),
                field(fields, "platform.version"),
                {},
                0};
    Watch* run = run_for(watch, timer.name);
    if (run == nullptr) return left_out_.add(line, "more runs than one file may have");
    if (run->timers.size() >= kMostTimers)
      return left_out_.add(line, "more timers than a run may have");
    if (run->seconds + timer.seconds > kMostSeconds)
      return left_out_.add(line, "the run takes years");
    run->seconds += timer.seconds;
    run->timers.push_back(std::move(timer));
  }

  Watch* run_for(const Watch& watch, const std::string& timer) {
    if (!watches_.empty()) {
      Watch& last = watches_.back();
      const bool again = std::any_of(last.timers.begin(), last.timers.end(),
                                     [&](const Timer& t) { return t.name == timer; });
      if (last.tag == watch.tag && last.node == watch.node && !again) return &last;
    }
    if (watches_.size() >= kMostRuns) return nullptr;
    return &watches_.emplace_back(watch);
  }

  static std::string lap_log(const Watch& watch) {
    LapLogText log(0, "stopwatch");
    log.plan({.steps = 1});
    double now = 0;
    for (const Timer& timer : watch.timers) {
      const std::int64_t begin_ns = std::llround(now * 1e9);
      now += timer.seconds;
      const std::int64_t end_ns = std::llround(now * 1e9);
      log.stage_begin(begin_ns, timer.name);
      if (is_training(timer.name)) log.lap(end_ns, 0);
      log.stage_end(end_ns, timer.name);
    }
    log.bye(std::llround(now * 1e9));
    return log.text();
  }

  static std::string id_of(const Watch& watch) {
    ImportedRunId run_id("stopwatch");
    for (const std::string* text : {&watch.tag, &watch.node, &watch.user}) run_id.add(*text);
    for (const Timer& timer : watch.timers) {
      run_id.add(timer.name);
      run_id.add(timer.start);
      run_id.add(std::llround(timer.seconds * 1e9));
    }
    return run_id.id();
  }

  static Run run_of(const Watch& watch, const std::string& source) {
    Run run;
    run.context =
        imported_context("stopwatch", source, watch.tag.empty() ? source : printable(watch.tag, 60),
                         printable(watch.node, 60));
    run.context.id = id_of(watch);
    run.context.kind = RunKind::full;
    run.context.machine.host = printable(watch.node, 60);
    run.context.machine.os = printable(watch.system + " " + watch.version, 120);
    run.context.started_at = started_at(watch.timers.front().start);
    std::int64_t trainings = 0;
    for (const Timer& timer : watch.timers) {
      trainings += is_training(timer.name);
      if (timer.status == "failed" || timer.status == "False")
        run.warnings.push_back(fmt::format("line {}: timer '{}' says: {}", timer.line,
                                           printable(timer.name, 40), printable(timer.status, 40)));
    }
    run.ended_ns = std::llround(watch.seconds * 1e9);
    run.lap_logs = {lap_log(watch)};
    if (trainings == 0) {
      run.outcome = outcome::NoLaps{"no timer is called train, training or fit"};
      run.context.kind = RunKind::probe;
    } else {
      run.outcome = outcome::Ended{};
      run.warnings.emplace_back(
          "the whole training is one lap; timers are taken to follow one another");
    }
    return run;
  }

  ImportedLog result_;
  std::vector<std::string> columns_;  // of the last header
  bool bare_ = false;
  std::vector<Watch> watches_;
  std::size_t rows_ = 0;
  ProblemCount left_out_;
};

}  // namespace

ImportedLog import_stopwatch_csv(std::string_view text, const std::string& source) {
  return StopwatchCsvReader().read(without_byte_order_mark(text), source);
}

}  // namespace lapcast
