#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"
#include "price/csv_rows.h"
#include "spot/availability_trace.h"

namespace lapcast {
namespace {

constexpr int kMostMachines = 1'000'000;

/// Counts problems of each kind and keeps the place of the first one.
class TraceProblems {
 public:
  void add(const std::string& what, std::string where) {
    ++kinds_.try_emplace(what, std::move(where), 0).first->second.second;
  }
  std::vector<Reason> reasons() const {
    std::vector<Reason> result;
    for (const auto& [what, seen] : kinds_)
      result.push_back(
          {fmt::format("{}: {} of them, the first at {}", what, seen.second, seen.first)});
    return result;
  }

 private:
  std::map<std::string, std::pair<std::string, std::size_t>> kinds_;
};

std::optional<int> machines_of(const nlohmann::json& tick) {
  if (!tick.is_number()) return std::nullopt;
  const double value = tick.get<double>();
  if (!(value >= 0 && value <= kMostMachines) || value != std::floor(value)) return std::nullopt;
  return static_cast<int>(value);
}

/// Returns the member of that name, or null where there is none.
const nlohmann::json& member(const nlohmann::json& object, const char* name) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

/// Says when something happened: milliseconds of the table's own clock, or of UTC.
struct EventTime {
  double ms = 0;
  bool utc = false;
};

/// Describes one row of a table of events.
struct MachineEvent {
  EventTime at;
  bool add = false;
  std::string machine;
  std::int64_t line = 0;
};

/// Reads a time. The table's own clock may count from 1970, but only to the end of tomorrow.
Result<EventTime> time_of(const std::string& text, Date today) {
  const auto ms_of = [](std::chrono::sys_seconds time) {
    return static_cast<double>(time.time_since_epoch().count()) * 1000;
  };
  if (const auto ms = number_in(text)) {
    if (std::abs(*ms) > ms_of(sys_day(today) + std::chrono::days{2}))
      return because("is in the future");
    return EventTime{*ms, false};
  }
  if (!parse_utc(text))
    return because("is neither milliseconds nor like 2026-11-20T12:00:00Z (UTC)");
  return parse_past_utc(text, today).map([&](std::chrono::sys_seconds time) {
    return EventTime{ms_of(time), true};
  });
}

/// Returns the event of a row, or adds a problem.
std::optional<MachineEvent> event_of(const CsvRow& row, Date today, TraceProblems& problems) {
  const auto refuse = [&](const std::string& what) {
    problems.add(what, fmt::format("line {}", row.line));
    return std::nullopt;
  };
  if (!row.damage.empty()) return refuse("row is damaged (" + row.damage + ")");
  if (row.fields.size() != 3) return refuse("row has not the three fields TIME,add|remove,MACHINE");
  const bool add = row.fields[1] == "add";
  if (!add && row.fields[1] != "remove") return refuse("event is neither add nor remove");
  if (row.fields[2].empty()) return refuse("machine has no name");
  const auto at = time_of(row.fields[0], today);
  if (!at) return refuse("time " + at.error().text);
  return MachineEvent{*at, add, row.fields[2], row.line};
}

/// Leaves out the events whose kind of time differs from the first one's, and sorts the others.
void order(std::vector<MachineEvent>& events, TraceProblems& problems) {
  const bool utc = events.front().at.utc;
  const auto other = std::stable_partition(events.begin(), events.end(),
                                           [&](const auto& event) { return event.at.utc == utc; });
  for (auto event = other; event != events.end(); ++event)
    problems.add("time is of another kind than the first row's",
                 fmt::format("line {}", event->line));
  events.erase(other, events.end());
  const auto earlier = [](const auto& a, const auto& b) { return a.at.ms < b.at.ms; };
  for (std::size_t i = 1; i < events.size(); ++i)
    if (earlier(events[i], events[i - 1]))
      problems.add("row is out of order and was sorted", fmt::format("line {}", events[i].line));
  std::stable_sort(events.begin(), events.end(), earlier);
}

}  // namespace

Result<ReadTrace> parse_tick_trace(std::string_view text) {
  const nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
  if (root.is_discarded()) return because("trace is not JSON");
  const nlohmann::json& gap = member(member(root, "metadata"), "gap_seconds");
  const nlohmann::json& ticks = member(root, "data");
  if (!gap.is_number()) return because("trace has no number metadata.gap_seconds");
  const auto seconds = gap.get<double>();
  if (!(seconds >= 1e-3 && seconds <= 86400))
    return because("metadata.gap_seconds is not between 0.001 and 86400");
  if (!ticks.is_array() || ticks.empty()) return because("trace has no ticks in the list data");
  ReadTrace result;
  TraceProblems problems;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const auto machines = machines_of(ticks[i]);
    if (!machines)
      problems.add(fmt::format("tick is not a whole number from 0 to {}", kMostMachines),
                   fmt::format("tick {}", i));
    result.trace.extend(Seconds{static_cast<double>(i + 1) * seconds}, machines);
  }
  result.problems = problems.reasons();
  return result;
}

Result<ReadTrace> parse_event_trace(std::string_view text, Date today) {
  ReadTrace result;
  TraceProblems problems;
  std::vector<MachineEvent> events;
  for_each_csv_row(text, [&](const CsvRow& row) {
    if (auto event = event_of(row, today, problems)) events.push_back(*std::move(event));
  });
  if (events.empty()) return because("table has no row like 480000,add,node1");
  order(events, problems);
  std::set<std::string> there;
  const double begin = events.front().at.ms;
  for (const MachineEvent& event : events) {
    result.trace.extend(Seconds{(event.at.ms - begin) * 1e-3}, static_cast<int>(there.size()));
    const bool changed =
        event.add ? there.insert(event.machine).second : there.erase(event.machine) > 0;
    if (!changed)
      problems.add(event.add ? "machine is added twice" : "machine is removed before it was added",
                   fmt::format("line {}", event.line));
  }
  result.problems = problems.reasons();
  return result;
}

Result<ReadTrace> parse_availability_trace(std::string_view text, Date today) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' ? parse_tick_trace(text)
                                                               : parse_event_trace(text, today);
}

}  // namespace lapcast
