#include "report/soak_report.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

#include "core/units.h"
#include "spot/sessions.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

std::string utc_text_of(std::int64_t utc_ns) {
  using namespace std::chrono;
  return utc_text(sys_seconds{seconds{utc_ns / 1'000'000'000}});
}

std::int64_t end_utc_ns(const Session& session) {
  return session.begin_utc_ns + to_ns(session.length);
}

const char* fate_text(SessionFate fate) {
  // The texts are in the order of SessionFate.
  constexpr const char* kTexts[] = {"cut", "stopped by the user", "end not seen"};
  return kTexts[static_cast<std::size_t>(fate)];
}

Cell median_cell(const Interval<double>& median) {
  return std::isfinite(median.mid) ? Cell(to_seconds(median)) : Cell();
}

struct AvailabilityRow {
  const SoakedMachine* machine;
  Availability known;
};

template <class Row>
std::vector<ColumnOf<Row>> with_machine(std::vector<ColumnOf<Row>> columns) {
  columns.insert(columns.begin(),
                 {{"machine", "machine", [](const Row& row) { return row.machine->machine; }},
                  {"device", "device", [](const Row& row) { return row.machine->device; }}});
  return columns;
}

Table availability_table(const std::vector<AvailabilityRow>& rows, const SoakRecord& record,
                         std::size_t damaged_lines) {
  Table table = table_of(
      "availability", "Availability",
      with_machine<AvailabilityRow>(
          {{"sessions", "sessions", [](auto& r) { return r.machine->sessions.size(); }},
           {"cut", "cut", [](auto& r) { return r.known.cuts; }},
           {"median_session_s", "median session",
            [](auto& r) { return median_cell(r.known.median_session_s); }, kBounds},
           {"median_wait_s", "median wait",
            [](auto& r) { return median_cell(r.known.median_wait_s); }, kBounds | spare(1)},
           {"held_s", "held", [](auto& r) { return r.known.held; }, spare(2)},
           {"wanted_s", "wanted", [](auto& r) { return r.known.wanted; }, spare(2)},
           {"availability", "availability", [](auto& r) { return share_cell(r.known.share()); }},
           {"refusals", "refusals", [](auto& r) { return r.machine->refusals; }, spare(1)}}),
      rows);
  table.notes.push_back(
      "a session lasts until its last heartbeat; medians by Kaplan and Meier, 95 % "
      "intervals; an empty one: fewer than half were seen to end");
  if (damaged_lines > 0)
    table.notes.push_back(fmt::format("{} damaged lines were left out", damaged_lines));
  if (record.strays > 0)
    table.notes.push_back(fmt::format(
        "{} heartbeats of sessions whose beginning is missing were left out", record.strays));
  return table;
}

Table session_table(const SoakRecord& record) {
  std::vector<Session> sessions;
  for (const SoakedMachine& machine : record.machines)
    sessions.insert(sessions.end(), machine.sessions.begin(), machine.sessions.end());
  const auto hour = [](const Session& session) {
    return session.begin_utc_ns / 3'600'000'000'000 % 24;
  };
  return table_of<Session>(
      "sessions", "Sessions",
      {{"machine", "machine", &Session::machine},
       {"device", "device", &Session::device, spare(3)},
       {"begin", "begin (UTC)", [](auto& r) { return utc_text_of(r.begin_utc_ns); }},
       {"end", "last heartbeat", [](auto& r) { return utc_text_of(end_utc_ns(r)); }, spare(2)},
       {"length_s", "length", &Session::length},
       {"hour_of_day", "hour", hour, spare(4)},
       {"fate", "how it ended", [](auto& r) { return fate_text(r.fate); }},
       {"wait_s", "wait for the next", &Session::gap},
       {"work", "work", &Session::work, spare(1)}},
      sessions);
}

/// Returns the survival functions of all machines, one below the other.
Table survival_table(const std::string& name, const std::string& title, const char* share,
                     const std::vector<AvailabilityRow>& rows,
                     std::vector<SurvivalStep> Availability::*steps) {
  struct StepRow {
    const SoakedMachine* machine;
    SurvivalStep step;
  };
  std::vector<StepRow> all;
  for (const AvailabilityRow& row : rows)
    for (const SurvivalStep& step : row.known.*steps) all.push_back({row.machine, step});
  return table_of(
      name, title,
      with_machine<StepRow>({{"time_s", "time", [](auto& r) { return Seconds{r.step.time}; }},
                             {"at_risk", "at risk", [](auto& r) { return r.step.at_risk; }},
                             {"ended", "ended", [](auto& r) { return r.step.ended; }},
                             {"share", share, [](auto& r) { return r.step.survival; }, kBounds}}),
      all);
}

Table hour_table(const std::vector<AvailabilityRow>& rows) {
  struct HourRow {
    const SoakedMachine* machine;
    std::size_t hour;
    Seconds held, wanted;
  };
  std::vector<HourRow> hours;
  for (const AvailabilityRow& row : rows)
    for (std::size_t hour = 0; hour < row.known.wanted_at.size(); ++hour)
      if (row.known.wanted_at[hour].count() > 0)
        hours.push_back({row.machine, hour, row.known.held_at[hour], row.known.wanted_at[hour]});
  return table_of("hours", "By hour of day (UTC)",
                  with_machine<HourRow>({{"hour", "hour", &HourRow::hour},
                                         {"held_s", "held", &HourRow::held},
                                         {"wanted_s", "wanted", &HourRow::wanted},
                                         {"availability", "availability",
                                          [](auto& r) { return Percentage{r.held / r.wanted}; }}}),
                  hours);
}

}  // namespace

std::vector<Table> soak_tables(const SoakRecord& record, std::size_t damaged_lines) {
  std::vector<AvailabilityRow> rows;
  for (const SoakedMachine& machine : record.machines)
    rows.push_back({&machine, availability_of(machine)});
  std::vector<Table> tables{availability_table(rows, record, damaged_lines), session_table(record),
                            survival_table("session_survival", "How long sessions last",
                                           "last longer", rows, &Availability::lasting),
                            survival_table("wait_survival", "How long a new session takes",
                                           "take longer", rows, &Availability::waiting),
                            hour_table(rows)};
  for (Table& table : tables) table.only_json = table.rows.empty();
  return tables;
}

}  // namespace lapcast
