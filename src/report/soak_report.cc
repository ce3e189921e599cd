#include "report/soak_report.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "core/units.h"
#include "core/utc_text.h"
#include "soak/availability.h"

namespace lapcast {
namespace {

std::string utc_text_of(std::int64_t utc_ns) {
  using namespace std::chrono;
  return utc_text(sys_seconds{seconds{utc_ns / 1'000'000'000}});
}

std::int64_t end_utc_ns(const Session& session) {
  return session.begin_utc_ns + static_cast<std::int64_t>(session.length.count() * 1e9);
}

const char* fate_text(SessionFate fate) {
  switch (fate) {
    case SessionFate::cut: return "cut";
    case SessionFate::stopped: return "stopped by the user";
    case SessionFate::open: return "end not seen";
  }
  return "";
}

Cell median_cell(const Interval<double>& median) {
  if (!std::isfinite(median.mid)) return std::monostate{};
  return Interval<Seconds>{Seconds{median.low}, Seconds{median.mid}, Seconds{median.high}};
}

Table machine_table(const SoakRecord& record, std::size_t damaged_lines) {
  Table table{"Availability",
              {},
              {{"machine", "machine"},
               {"device", "device"},
               {"sessions", "sessions"},
               {"cut", "cut"},
               {.key = "median_session_s", .header = "median session", .bounds = true},
               {.key = "median_wait_s", .header = "median wait", .bounds = true},
               {"held_s", "held"},
               {"wanted_s", "wanted"},
               {"availability", "availability"},
               {.key = "refusals", .header = "refusals", .spare = 1}},
              {},
              {"a session lasts until its last heartbeat; medians by Kaplan and Meier, 95 % "
               "intervals; an empty one: fewer than half were seen to end"}};
  for (const SoakedMachine& machine : record.machines) {
    const Availability known = availability_of(machine);
    const auto share = known.share();
    table.rows.push_back({machine.machine, machine.device,
                          static_cast<std::int64_t>(machine.sessions.size()),
                          static_cast<std::int64_t>(known.cuts), median_cell(known.median_session_s),
                          median_cell(known.median_wait_s), known.held, known.wanted,
                          share ? Cell(Percentage{*share}) : Cell(),
                          static_cast<std::int64_t>(machine.refusals)});
  }
  if (damaged_lines > 0)
    table.notes.push_back(fmt::format("{} damaged lines were left out", damaged_lines));
  if (record.strays > 0)
    table.notes.push_back(
        fmt::format("{} heartbeats of sessions whose beginning is missing were left out",
                    record.strays));
  return table;
}

Table session_table(const SoakRecord& record) {
  Table table{"Sessions",
              {},
              {{"machine", "machine"},
               {.key = "device", .header = "device", .spare = 3},
               {"begin", "begin (UTC)"},
               {.key = "end", .header = "last heartbeat", .spare = 2},
               {"length_s", "length"},
               {.key = "hour_of_day", .header = "hour", .spare = 4},
               {"fate", "how it ended"},
               {"wait_s", "wait for the next"},
               {.key = "work", .header = "work", .spare = 1}},
              {},
              {}};
  for (const SoakedMachine& machine : record.machines)
    for (const Session& session : machine.sessions)
      table.rows.push_back(
          {session.machine, session.device, utc_text_of(session.begin_utc_ns),
           utc_text_of(end_utc_ns(session)), session.length,
           session.begin_utc_ns / 3'600'000'000'000 % 24, std::string(fate_text(session.fate)),
           session.gap ? Cell(*session.gap) : Cell(), session.work});
  return table;
}

/// One survival function of each machine, one below the other.
Table survival_table(const std::string& title, const char* share, const SoakRecord& record,
                     std::vector<SurvivalStep> Availability::*steps) {
  Table table{title,
              {},
              {{"machine", "machine"},
               {"device", "device"},
               {"time_s", "time"},
               {"at_risk", "at risk"},
               {"ended", "ended"},
               {.key = "share", .header = share, .bounds = true}},
              {},
              {}};
  for (const SoakedMachine& machine : record.machines) {
    const Availability known = availability_of(machine);
    for (const SurvivalStep& step : known.*steps)
      table.rows.push_back({machine.machine, machine.device, Seconds{step.time},
                            static_cast<std::int64_t>(step.at_risk),
                            static_cast<std::int64_t>(step.ended), step.survival});
  }
  return table;
}

Table hour_table(const SoakRecord& record) {
  Table table{"By hour of day (UTC)",
              {},
              {{"machine", "machine"},
               {"device", "device"},
               {"hour", "hour"},
               {"held_s", "held"},
               {"wanted_s", "wanted"},
               {"availability", "availability"}},
              {},
              {}};
  for (const SoakedMachine& machine : record.machines) {
    const Availability known = availability_of(machine);
    for (std::size_t hour = 0; hour < known.wanted_at.size(); ++hour)
      if (known.wanted_at[hour].count() > 0)
        table.rows.push_back({machine.machine, machine.device, static_cast<std::int64_t>(hour),
                              known.held_at[hour], known.wanted_at[hour],
                              Percentage{known.held_at[hour] / known.wanted_at[hour]}});
  }
  return table;
}

}  // namespace

std::vector<Table> soak_tables(const SoakRecord& record, std::size_t damaged_lines) {
  std::vector<Table> tables{machine_table(record, damaged_lines), session_table(record)};
  tables.push_back(survival_table("How long sessions last", "last longer", record,
                                  &Availability::lasting));
  tables.push_back(survival_table("How long a new session takes", "take longer", record,
                                  &Availability::waiting));
  tables.push_back(hour_table(record));
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace lapcast
