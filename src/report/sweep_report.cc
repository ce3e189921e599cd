#include "report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "forecast/memory_use.h"
#include "history/assessment.h"
#include "report/answer.h"
#include "report/cells.h"
#include "run/attempts.h"
#include "run/secrets.h"
#include "run/settings.h"

namespace lapcast {
namespace {

/// Returns the time for sending and setting up: all preparation except waiting for the machine and
/// earlier attempts.
Seconds other_preparation(const Run& run) {
  Seconds sum =
      run.wall() - time_of_attempts(run) - lost_work(run) - preparation_time(run, "queue");
  for (const PreparationStep& step : run.preparation) sum += step.time;
  return sum;
}

/// Returns the largest share of a memory, of the machine or of a GPU, that a run used.
std::optional<double> fullest_memory(const Run& run) {
  std::optional<double> most;
  for (const MeteredMemory& memory : memory_of(run, *laps_of(run)))
    most = std::max(most, memory.share());
  return most;
}

PricedCell cost_of(const SweepRow& row) {
  return cost_cell(row.run->context.price, row.assessment.forecast);
}

std::string outcome_text(const SweepRow& row) {
  const Assessment& assessment = row.assessment;
  std::string text = shown_outcome(*row.run);
  if (assessment.profile && !assessment.forecast)
    text += "; no forecast: " + assessment.forecast.error().text;
  return with_reason(std::move(text), cost_of(row));
}

std::vector<ColumnOf<SweepRow>> sweep_columns() {
  const auto of_profile = [](auto value) {
    return [value](const SweepRow& row) { return cell_if(row.assessment.profile, value); };
  };
  const auto of_context = [](auto value) {
    return [value](const SweepRow& row) { return cell_of(value(row.run->context)); };
  };
  return {{"machine_type", "machine", of_context([](auto& c) { return c.machine_type.name; })},
          {"settings", "settings", of_context([](auto& c) { return Settings{settings_text(c)}; }),
           kOptional},
          {"kind", "kind", of_context([](auto& c) { return to_string(c.kind); }), spare(2)},
          {"init_s", "init", of_profile(&LapProfile::init), spare(3)},
          {"first_lap_s", "first lap", of_profile(&LapProfile::first_lap), spare(5)},
          {"lap_s", "steady lap", of_profile([](auto& p) { return p.steady.mean; }),
           kBounds | spare(1)},
          {"laps", "laps", of_profile([](auto& p) { return p.laps.size(); }), spare(1)},
          {"samples_per_second", "samples/s",
           of_profile([](auto& p) { return p.steady.samples_per_second; }), kBounds | spare(4)},
          {"time_s", "forecast",
           [](auto& r) { return cell_if(r.assessment.forecast, &Forecast::total); }, kBounds},
          {"cost_usd", "cost", [](auto& r) { return cost_of(r).cell; }, kBounds | kOptional},
          {"place", "place", of_context([](auto& c) { return text_cell(c.place); }),
           kOptional | spare(6)},
          {"queue_s", "queue",
           [](auto& r) { return time_or_nothing(preparation_time(*r.run, "queue")); }, kOptional},
          {"set_up_s", "set-up", [](auto& r) { return time_or_nothing(other_preparation(*r.run)); },
           kOptional | spare(2)},
          {"memory_share", "memory", [](auto& r) { return share_cell(fullest_memory(*r.run)); },
           kOptional | spare(5)},
          {"outcome", "", [](auto& r) { return outcome_kind(r.run->outcome); }},
          {"outcome_text", "outcome", outcome_text},
          {"run", "run", of_context([](auto& c) { return c.id; }), spare(1)}};
}

/// Names the picks of a race with their costs, times and probabilities.
std::vector<std::string> race_answer(std::span<const RaceRow> rows,
                                     std::span<const RacePick> picks) {
  std::vector<AnswerRow> answer;
  for (const RacePick& pick : picks) {
    const std::string what = pick.measure == RaceGoal::cost ? "CHEAPEST" : "FASTEST";
    answer.push_back({pick.group.empty() ? what : fmt::format("{}, batch={}", what, pick.group),
                      rows[pick.row].candidate.name,
                      rows[pick.row].candidate.price ? dollar_text(pick.cost.mid) : "",
                      format_duration(pick.time.mid),
                      format_chance(1 - pick.chance_wrong) + " sure"});
  }
  return answer.empty() ? std::vector<std::string>{"no candidate can be picked"}
                        : aligned_rows(answer);
}

/// Returns the state of a candidate as people read it.
std::string state_in_words(RaceState state) {
  // The words are in the order of RaceState.
  constexpr const char* kWords[] = {"not started", "not decided", "measured",
                                    "best",        "out",         "failed"};
  return kWords[static_cast<std::size_t>(state)];
}

// These rows must have a run.
std::string machine_type_of(const RaceRow& row) {
  return row.run->context.machine_type.name;
}
Settings settings_of(const RaceRow& row) {
  return {settings_text(row.run->context)};
}

struct CandidateRow {
  const RaceRow* race;
  const Assessment* assessment;

  const Forecast* forecast() const {
    return race->run && assessment->forecast ? &*assessment->forecast : nullptr;
  }
  PricedCell cost() const {
    return forecast() ? cost_cell(race->candidate.price, assessment->forecast) : PricedCell{};
  }
};

std::vector<ColumnOf<CandidateRow>> candidate_columns() {
  const auto of_run = [](auto value) {
    return
        [value](const CandidateRow& row) { return row.race->run ? cell_of(value(row)) : Cell(); };
  };
  const auto lap = [](const CandidateRow& row) {
    return cell_if(row.assessment->profile, [](auto& profile) { return profile.steady.mean; });
  };
  return {
      {"candidate", "candidate", [](auto& r) { return r.race->candidate.name; }},
      {"machine_type", "", of_run([](auto& r) { return machine_type_of(*r.race); })},
      {"settings", "", of_run([](auto& r) { return settings_of(*r.race); })},
      {"state", "state", [](auto& r) { return state_in_words(r.race->standing.state); }},
      {"lap_s", "steady lap", of_run(lap), kBounds | spare(2)},
      {"laps", "laps", of_run([](auto& r) { return r.race->standing.observed.laps; }), spare(3)},
      {"ran_s", "ran", of_run([](auto& r) { return r.race->run->wall(); }), spare(4)},
      {"time_s", "forecast", [](auto& r) { return cell_if(r.forecast(), &Forecast::total); },
       kBounds},
      {"cost_usd", "cost", [](auto& r) { return r.cost().cell; }, kBounds | kOptional},
      {"reason", "reason",
       [](auto& r) { return text_cell(with_reason(r.race->standing.reason, r.cost())); },
       kOptional},
      {"run", "run", of_run([](auto& r) { return r.race->run->context.id; }), spare(1)}};
}

Table candidates_table(std::span<const RaceRow> rows, std::span<const Assessment> assessments) {
  std::vector<CandidateRow> candidates;
  for (std::size_t i = 0; i < rows.size(); ++i) candidates.push_back({&rows[i], &assessments[i]});
  return table_of("race", "Race", candidate_columns(), candidates);
}

Table picks_table(std::span<const RaceRow> rows, std::span<const RacePick> picks,
                  double confidence) {
  const auto name = [](const RacePick& pick) {
    const std::string what = pick.measure == RaceGoal::cost ? "cheapest" : "fastest";
    return pick.group.empty() ? what : fmt::format("{}, batch={}", what, pick.group);
  };
  const auto by = [](const RacePick& pick) {
    return pick.measure == RaceGoal::cost ? "cost" : "time";
  };
  const auto group = [](const RacePick& pick) {
    return Settings{pick.group.empty() ? "" : "batch=" + pick.group};
  };
  Table table = table_of<RacePick>(
      "picks", "Picks",
      {{"", "pick", name},
       {"by", "", by},
       {"group", "", group},
       {"candidate", "candidate", [rows](auto& r) { return rows[r.row].candidate.name; }},
       {"machine_type", "", [rows](auto& r) { return machine_type_of(rows[r.row]); }},
       {"settings", "", [rows](auto& r) { return settings_of(rows[r.row]); }},
       {"run", "", [rows](auto& r) { return rows[r.row].run->context.id; }},
       {"time_s", "time", &RacePick::time, kBounds},
       {"cost_usd", "cost",
        [rows](auto& r) { return rows[r.row].candidate.price ? Cell(r.cost) : Cell(); },
        kBounds | kOptional},
       {"chance_wrong", "P(wrong)", [](auto& r) { return Chance{r.chance_wrong}; }},
       {"expected_regret", "expected regret", [](auto& r) { return Percentage{r.expected_regret}; },
        spare(1)}},
      picks);
  std::size_t not_known = 0;
  for (const RacePick& pick : picks) not_known = std::max(not_known, pick.not_known);
  table.notes.push_back(
      fmt::format("candidates were put out with a confidence of {}: that none of them is best",
                  format_share(confidence)));
  if (not_known > 0)
    table.notes.push_back(fmt::format("{} of which nothing is known {} not counted in the chances",
                                      counted(not_known, "candidate"),
                                      not_known == 1 ? "is" : "are"));
  return table;
}

/// Returns a sentence if the race took nearly as long as plain probes.
std::optional<std::string> why_it_cannot_pay(const RaceBill& bill) {
  constexpr double kWorthIt = 0.9;  // of the time of plain probes
  const Seconds race = bill.race.time;
  if (!(race.count() > 0) || race < kWorthIt * bill.plain.time) return std::nullopt;
  return fmt::format(
      "a race saves little of this program's probes: they took {}, plain ones would take about {}, "
      "and the starts alone, which no race saves, took {}",
      format_duration(race), format_duration(bill.plain.time), format_duration(bill.starts));
}

Table bill_table(const RaceBill& bill, bool is_priced) {
  struct BillLine {
    std::string key;
    std::string name;
    Expense expense;
  };
  const auto share = [&bill](const BillLine& line) {
    const bool by_cost = line.expense.cost > Money();
    const double other = by_cost ? line.expense.cost.dollars() : line.expense.time.count();
    const double own = by_cost ? bill.race.cost.dollars() : bill.race.time.count();
    return other > 0 ? Cell(Percentage{own / other}) : Cell();
  };
  Table table = table_of<BillLine>(
      "search_cost", "What the search cost",
      {{"search", "", &BillLine::key},
       {"", "search", &BillLine::name},
       {"time_s", "time of the probes", [](auto& r) { return r.expense.time; }},
       {"cost_usd", "cost", [=](auto& r) { return is_priced ? Cell(r.expense.cost) : Cell(); },
        kOptional},
       {"race_share", "this race is", share}},
      std::vector<BillLine>{{"race", "this race", bill.race},
                            {"plain-probes", "plain probes, by forecast", bill.plain},
                            {"all-to-the-end", "all to their end, by forecast", bill.everything}});
  if (const auto note = why_it_cannot_pay(bill)) table.notes.push_back(*note);
  return table;
}

}  // namespace

std::string next_after_probes(bool any_forecast, const std::string& rank) {
  return "next: " + (any_forecast ? rank : "lapcast show last says why there is no forecast");
}

Table sweep_table(std::span<const SweepRow> rows) {
  std::vector<const SweepRow*> sorted;
  for (const SweepRow& row : rows) sorted.push_back(&row);
  const auto name = [](const SweepRow* row) {
    const RunContext& context = row->run->context;
    return std::pair(context.machine_type.name, settings_text(context));
  };
  std::ranges::stable_sort(sorted, {}, name);
  const auto columns = sweep_columns();
  Table table = table_of("probes", "Sweep", columns, std::vector<SweepRow>{});
  for (const SweepRow* row : sorted) add_row(table, columns, *row);
  return table;
}

std::vector<Table> race_tables(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments,
                               std::span<const RacePick> picks, const RaceBill& bill,
                               double confidence) {
  std::vector<Table> tables{candidates_table(rows, assessments),
                            picks_table(rows, picks, confidence),
                            bill_table(bill, any_is_priced(rows))};
  tables.front().answer = race_answer(rows, picks);
  return tables;
}

}  // namespace lapcast
