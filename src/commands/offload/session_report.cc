#include "commands/offload/session_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/units.h"
#include "energy/training_energy.h"
#include "run/attempts.h"
#include "run/sessions.h"

namespace lapcast {
namespace {

/// Returns what the machine of a run took from the plug while its programs ran.
std::optional<double> kwh_of(const Run& run, const std::optional<TrainingPower>& power) {
  if (!power) return std::nullopt;
  const double afterwards = std::max(0.0, time_of_attempts(run).count() - power->seconds);
  return (power->joules + power->watts.mid * afterwards) / kJoulesPerKwh;
}

/// Holds a session with what its row needs.
struct SessionRow {
  std::size_t number = 0;  // from 1
  TrainingSession session;
  std::optional<TrainingPower> power;
  const RunContext& context() const { return session.run->context; }
};

std::string whole_in_words(const SessionsTraining& training, const std::filesystem::path& folder,
                           const std::string& why_not) {
  std::set<std::string> machines;
  for (const TrainingSession& session : training.sessions)
    machines.insert(session.run->context.machine_type.name);
  const auto cost = training.cost();
  return fmt::format(
      "{} after {} on {}: {} laps in {}{}; {} of it lost work, {} done twice; its files are in {}",
      why_not.empty() ? "ended" : "not ended", counted(training.sessions.size(), "session"),
      counted(machines.size(), "machine"), training.laps(), format_duration(training.time()),
      cost ? ", " + dollar_text(*cost) : "", format_duration(training.lost()),
      counted(static_cast<std::size_t>(training.lost_laps()), "lap"), printable(folder.string()));
}

Table whole_table(const std::string& id, const SessionsTraining& training,
                  const std::filesystem::path& folder, const std::string& why_not) {
  Table table = figure_table(
      "training", "A training in sessions",
      {{"id", "id", id},
       {"is_ended", "ended", training.ended},
       {"sessions", "sessions", cell_of(training.sessions.size())},
       {"laps", "laps", cell_of(training.laps()), "each counted once"},
       {"lost_laps", "laps done twice", cell_of(training.lost_laps())},
       {"time_s", "time of its program", training.time(), "in all sessions"},
       {"lost_s", "lost work", training.lost(), "after the last checkpoint of a session"},
       {"cost_usd", "cost", cell_of(training.cost()), "each session at its machine's price"},
       {"energy_kwh", "energy",
        Cell(cell_if(training.kwh(),
                     [](double kwh) {
                       return Number{kwh, -1};
                     })),
        "kWh, where it is known of each session"}});
  table.answer = {whole_in_words(training, folder, why_not)};
  if (!why_not.empty()) table.warnings.push_back("it has not ended: " + printable(why_not, 1000));
  return table;
}

std::vector<ColumnOf<SessionRow>> session_columns() {
  const auto of = [](auto member) {
    return [member](const SessionRow& row) { return row.session.*member; };
  };
  const auto kwh = [](const SessionRow& row) {
    return cell_if(row.session.kwh, [](double value) { return Number{value, -1}; });
  };
  const auto source = [](const SessionRow& row) {
    return cell_if(row.power, [](const TrainingPower& power) { return to_string(power.source); });
  };
  return {{"session", "session", &SessionRow::number},
          {"machine_type", "machine", [](auto& row) { return row.context().machine_type.name; }},
          {"run", "run", [](auto& row) { return row.context().id; }, spare(2)},
          {"laps", "laps", of(&TrainingSession::laps)},
          {"lost_laps", "done twice", of(&TrainingSession::lost_laps)},
          {"time_s", "time", of(&TrainingSession::time)},
          {"lost_s", "lost work", of(&TrainingSession::lost)},
          {"cost_usd", "cost", of(&TrainingSession::cost), kOptional},
          {"energy_kwh", "kWh", kwh, kOptional | spare(3)},
          {"energy_source", "by", source, kOptional | spare(4)},
          {"outcome", "outcome", [](auto& row) { return describe(row.session.run->outcome); },
           spare(1)}};
}

}  // namespace

std::vector<Table> session_tables(const std::string& id, std::span<const Run> runs,
                                  const std::filesystem::path& folder, const std::string& why_not) {
  SessionsTraining training = merge_sessions(runs);
  std::vector<SessionRow> rows;
  for (TrainingSession& session : training.sessions) {
    const auto power = power_of_run(*session.run);
    session.kwh = kwh_of(*session.run, power);
    rows.push_back({rows.size() + 1, session, power});
  }
  return {whole_table(id, training, folder, why_not),
          table_of("training_sessions", "Sessions", session_columns(), rows)};
}

}  // namespace lapcast
