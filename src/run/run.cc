#include "run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lower_case.h"
#include "core/units.h"
#include "lap/lap_log_reader.h"
#include "run/kept_logs.h"
#include "run/pauses.h"

namespace lapcast {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

/// Returns " (SIGSEGV)" by the numbers of Linux; empty for a rare signal. sigabbrev_np() needs
/// glibc 2.32.
std::string signal_name(int signal) {
  static constexpr std::pair<int, const char*> kNames[] = {
      {1, "SIGHUP"},   {2, "SIGINT"},   {3, "SIGQUIT"},  {4, "SIGILL"},   {5, "SIGTRAP"},
      {6, "SIGABRT"},  {7, "SIGBUS"},   {8, "SIGFPE"},   {9, "SIGKILL"},  {10, "SIGUSR1"},
      {11, "SIGSEGV"}, {12, "SIGUSR2"}, {13, "SIGPIPE"}, {14, "SIGALRM"}, {15, "SIGTERM"},
      {24, "SIGXCPU"}, {25, "SIGXFSZ"}, {31, "SIGSYS"}};
  for (const auto& [number, name] : kNames) {
    if (number == signal) return fmt::format(" ({})", name);
  }
  return "";
}

std::string with_detail(std::string_view what, const std::string& detail) {
  return detail.empty() ? std::string(what) : fmt::format("{}: {}", what, detail);
}

/// Returns "out of GPU memory: batch 2048, at most 2.8 GiB in use before: CUDA out of memory. ..."
std::string describe_lack(const char* of_what, const outcome::OutOfMemory& lack) {
  std::string known = lack.batch.empty() ? "" : "batch " + lack.batch;
  if (lack.peak_bytes > 0)
    known += fmt::format("{}at most {} in use before", known.empty() ? "" : ", ",
                         format_bytes(lack.peak_bytes));
  return with_detail(of_what, known.empty() ? lack.message : with_detail(known, lack.message));
}

std::string describe_crash(const outcome::Crashed& crash) {
  if (crash.out_of_memory) return describe_lack("out of GPU memory", *crash.out_of_memory);
  if (crash.out_of_main_memory)
    return describe_lack("out of main memory", *crash.out_of_main_memory);
  if (crash.signal == 0) return fmt::format("failed with exit status {}", crash.exit_status);
  return fmt::format("crashed with signal {}{}", crash.signal, signal_name(crash.signal));
}

/// Replaces every "{key}" of settings by its value, in one pass: placeholders in a value stay.
std::string filled(std::string_view text, const std::map<std::string, std::string>& settings) {
  std::string result;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    result += text.substr(0, open);
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return result.append(text);
    const auto setting = settings.find(std::string(text.substr(1, close - 1)));
    const std::size_t used = setting == settings.end() ? 1 : close + 1;
    result += setting == settings.end() ? text.substr(0, 1) : std::string_view(setting->second);
    text.remove_prefix(used);
  }
  return result;
}

bool is_clock(MonotonicNs ns) {
  return ns >= -kMostClockNs && ns <= kMostClockNs;
}

void note(LapLog& log, const std::string& what) {
  if (!log.damage) log.damage.emplace();
  std::string& all = log.damage->what;
  all += all.empty() ? what : "; " + what;
}

// Moving a log in time ---------------------------------------------------------------------------

/// Moves all times of a log later by `by_ns` >= 0.
void shift(LapLog& log, std::int64_t by_ns) {
  change_times(log, [&](std::int64_t& at_ns) {
    if (__builtin_add_overflow(at_ns, by_ns, &at_ns)) at_ns = std::numeric_limits<int64_t>::max();
  });
}

// Placing it in the run --------------------------------------------------------------------------

/// Returns true when the log began within the run, by the run's clock. A run that has not ended yet
/// has no upper bound.
bool on_clock_of(const Run& run, const LapLog& log) {
  const bool ended = run.ended_ns >= run.started_ns;
  return log.hello && log.hello->clock_ns >= run.started_ns &&
         (!ended || log.hello->clock_ns <= run.ended_ns);
}

/// Returns the window that is checked; none for a run whose end is not known, and for old logs of
/// other tools, which say only roughly when they ended.
std::optional<RunWindow> window_of(const Run& run) {
  if (run.ended_ns <= run.started_ns || !run.context.imported_from.empty()) return std::nullopt;
  return RunWindow{run.started_ns, run.ended_ns, run.context.machine.host};
}

/// Returns the nanoseconds from the start of the run to time 0 of `log`, by the wall clocks of it
/// and of `known`, a log that has the run's clock; none when that is not within the run.
std::optional<std::int64_t> placed_by_wall(const Run& run, const Hello& known, const Hello& log) {
  const double apart_ns = (log.wall_seconds - known.wall_seconds) * 1e9;
  const double at_ns = static_cast<double>(known.clock_ns - run.started_ns) + apart_ns;
  const double length_ns = static_cast<double>(run.ended_ns - run.started_ns);
  if (!(at_ns >= 0 && at_ns <= length_ns)) return std::nullopt;
  return static_cast<std::int64_t>(at_ns);
}

/// Returns the nanoseconds from the start of the run to time 0 of the merged log.
std::int64_t place(const Run& run, const std::vector<LapLog>& logs, LapLog& merged) {
  if (on_clock_of(run, merged)) return merged.hello->clock_ns - run.started_ns;
  const auto known = std::find_if(logs.begin(), logs.end(),
                                  [&](const LapLog& log) { return on_clock_of(run, log); });
  if (known != logs.end()) {
    if (const auto at_ns = placed_by_wall(run, *known->hello, *merged.hello)) return *at_ns;
  }
  note(merged, "its clock is not that of the run: times are counted from its first event");
  return 0;
}

LapLog parsed_log(const Run& run) {
  const std::optional<RunWindow> window = window_of(run);
  std::vector<LapLog> logs;
  for (const std::string& text : run.lap_logs) logs.push_back(parse_lap_log(text, window));
  LapLog merged = merged_ranks(logs);
  if (!merged.hello) return merged;
  const std::int64_t init_ns = place(run, logs, merged);
  shift(merged, init_ns);
  merged.hello->clock_ns = run.started_ns;
  merged.hello->wall_seconds -= from_ns(init_ns).count();
  remove_pauses(PauselessTime(run), merged);
  // The work of a program that ended by itself is done.
  if (!merged.laps.empty() && std::holds_alternative<outcome::Ended>(run.outcome))
    merged.laps.back().finished = true;
  return merged;
}

/// Returns the key of all that parsed_log() reads.
KeptLogs::Key key_of(const Run& run) {
  KeptLogs::Key key{.run = run.context.id};
  const auto add = [&](std::size_t value) { key.hash = key.hash * 0x9E3779B97F4A7C15 + value; };
  const std::hash<std::string> hash_of;
  for (const std::string& text : run.lap_logs) add(hash_of(text));
  for (const MonotonicNs ns : {run.started_ns, run.ended_ns}) add(static_cast<std::size_t>(ns));
  for (const Pause& pause : run.pauses) {
    add(static_cast<std::size_t>(pause.begin_ns));
    add(static_cast<std::size_t>(pause.end_ns));
    add(pause.with_queue);
  }
  add(hash_of(run.context.machine.host));
  add(run.context.imported_from.empty());
  add(std::holds_alternative<outcome::Ended>(run.outcome));
  return key;
}

}  // namespace

bool is_run_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::optional<Reason> why_not_kept(const Run& run) {
  if (!is_run_id(run.context.id)) return Reason{"id is not 1 to 64 of a-z, 0-9, '-' and '_'"};
  if (!is_clock(run.started_ns)) return Reason{"started_ns is out of range"};
  if (!is_clock(run.ended_ns)) return Reason{"ended_ns is out of range"};
  for (const Pause& pause : run.pauses)
    if (!is_clock(pause.begin_ns) || !is_clock(pause.end_ns))
      return Reason{"pauses: a clock reading is out of range"};
  return std::nullopt;
}

bool was_imported(const RunContext& context) {
  return context.imported || !context.imported_from.empty();
}

Seconds preparation_time(const Run& run, std::string_view what) {
  Seconds sum{0};
  for (const PreparationStep& step : run.preparation)
    if (step.what == what) sum += step.time;
  return sum;
}

bool is_out_of_gpu_memory(const Outcome& outcome) {
  const auto* crash = std::get_if<outcome::Crashed>(&outcome);
  return crash != nullptr && crash->out_of_memory;
}

bool is_out_of_main_memory(const Outcome& outcome) {
  const auto* crash = std::get_if<outcome::Crashed>(&outcome);
  return crash != nullptr && crash->out_of_main_memory;
}

bool is_out_of_memory(const Outcome& outcome) {
  return is_out_of_gpu_memory(outcome) || is_out_of_main_memory(outcome);
}

bool has_laps(const Outcome& outcome) {
  return std::holds_alternative<outcome::Enough>(outcome) ||
         std::holds_alternative<outcome::BudgetSpent>(outcome) ||
         std::holds_alternative<outcome::Ended>(outcome);
}

bool may_have_laps(const Outcome& outcome) {
  return has_laps(outcome) || std::holds_alternative<outcome::Interrupted>(outcome);
}

bool was_cut_off(const Outcome& outcome) {
  return std::holds_alternative<outcome::Interrupted>(outcome) ||
         std::holds_alternative<outcome::NotEnded>(outcome);
}

std::string describe(const Outcome& outcome) {
  return std::visit(
      Overloaded{
          [](const outcome::Enough& o) { return with_detail("enough", o.rule); },
          [](const outcome::BudgetSpent& o) { return with_detail("budget spent", o.which); },
          [](const outcome::Ended&) { return std::string("ended"); },
          [](const outcome::Crashed& o) { return describe_crash(o); },
          [](const outcome::NoLaps& o) { return with_detail("no laps", o.why); },
          [](const outcome::NotStarted& o) { return with_detail("not started", o.why); },
          [](const outcome::Interrupted&) { return std::string("interrupted"); },
          [](const outcome::NotEnded& o) { return with_detail("not ended", o.why); },
      },
      outcome);
}

std::string_view outcome_kind(const Outcome& outcome) {
  if (is_out_of_gpu_memory(outcome)) return "out-of-gpu-memory";
  if (is_out_of_main_memory(outcome)) return "out-of-main-memory";
  return std::visit(Overloaded{
                        [](const outcome::Enough&) { return "enough"; },
                        [](const outcome::BudgetSpent&) { return "budget-spent"; },
                        [](const outcome::Ended&) { return "ended"; },
                        [](const outcome::Crashed&) { return "crashed"; },
                        [](const outcome::NoLaps&) { return "no-laps"; },
                        [](const outcome::NotStarted&) { return "not-started"; },
                        [](const outcome::Interrupted&) { return "interrupted"; },
                        [](const outcome::NotEnded&) { return "not-ended"; },
                    },
                    outcome);
}

std::string outcome_kind_of(std::string_view description) {
  std::string kind = lower_case(
      description.substr(0, std::min(description.find(':'), description.find(" with "))));
  std::ranges::replace(kind, ' ', '-');
  return kind == "failed" ? "crashed" : kind;
}

std::size_t precision_at(std::string_view description) {
  constexpr std::string_view kLaps = " steady laps";
  const std::size_t laps = description.find(std::string(kLaps) + " within ");
  return laps == description.npos ? description.npos : laps + kLaps.size();
}

std::string_view to_string(RunKind kind) {
  switch (kind) {
    case RunKind::probe:
      return "probe";
    case RunKind::full:
      return "full";
    case RunKind::find_epochs:
      return "find-epochs";
  }
  return "probe";
}

std::string_view to_string(StartKind start) {
  switch (start) {
    case StartKind::unknown:
      return "unknown";
    case StartKind::cold:
      return "cold";
    case StartKind::warm:
      return "warm";
  }
  return "unknown";
}

std::vector<std::string> filled_program(const RunContext& context) {
  std::vector<std::string> program;
  for (const std::string& argument : context.program) {
    program.push_back(filled(argument, context.settings));
  }
  return program;
}

Seconds Run::wall() const {
  return from_ns(ended_ns - started_ns - PauselessTime(*this).total_ns());
}

std::shared_ptr<const LapLog> laps_of(const Run& run) {
  static KeptLogs kept;
  std::size_t bytes = 0;
  for (const std::string& text : run.lap_logs) bytes += text.size();
  if (bytes > KeptLogs::kMostOfOne) return std::make_shared<const LapLog>(parsed_log(run));
  KeptLogs::Key key = key_of(run);
  auto log = kept.find(key);
  if (!log) {
    log = std::make_shared<const LapLog>(parsed_log(run));
    kept.keep(std::move(key), log, bytes);
  }
  return log;
}

}  // namespace lapcast
