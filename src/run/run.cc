#include "run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

/// Lists names by number on Linux; sigabbrev_np() needs glibc 2.32.
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

std::string describe_crash(const outcome::Crashed& crash) {
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

bool has_laps(const Outcome& outcome) {
  return std::holds_alternative<outcome::Enough>(outcome) ||
         std::holds_alternative<outcome::BudgetSpent>(outcome) ||
         std::holds_alternative<outcome::Ended>(outcome);
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
      },
      outcome);
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

}  // namespace lapcast
