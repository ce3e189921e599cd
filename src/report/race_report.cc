#include "report/race_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/units.h"
#include "report/cells.h"

namespace lapcast {
namespace {

std::string state_in_words(const RaceStanding& standing) {
  switch (standing.state) {
    case RaceState::waiting:
      return "not started";
    case RaceState::open:
      return "not decided";
    case RaceState::measured:
      return "measured";
    case RaceState::decided:
      return "best";
    case RaceState::out:
      return "out";
    case RaceState::failed:
      return "failed";
  }
  return "?";
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
    return row.assessment->profile ? Cell(row.assessment->profile->steady.mean) : Cell();
  };
  return {{"candidate", "candidate", [](auto& r) { return r.race->candidate.name; }},
          {"state", "state", [](auto& r) { return state_in_words(r.race->standing); }},
          {"lap_s", "steady lap", of_run(lap), {.bounds = true, .spare = 2}},
          {"laps",
           "laps",
           of_run([](auto& r) { return r.race->standing.observed.laps; }),
           {.spare = 3}},
          {"ran_s", "ran", of_run([](auto& r) { return r.race->run->wall(); }), {.spare = 4}},
          {"time_s",
           "forecast",
           [](auto& r) { return r.forecast() ? Cell(r.forecast()->total) : Cell(); },
           {.bounds = true}},
          {"cost_usd",
           "cost USD",
           [](auto& r) { return r.cost().cell; },
           {.bounds = true, .optional = true}},
          {"reason",
           "reason",
           [](auto& r) { return text_cell(with_reason(r.race->standing.reason, r.cost())); },
           {.optional = true}},
          {"run", "run", of_run([](auto& r) { return r.race->run->context.id; }), {.spare = 1}}};
}

Table candidates_table(std::span<const RaceRow> rows, std::span<const Assessment> assessments) {
  std::vector<CandidateRow> candidates;
  for (std::size_t i = 0; i < rows.size(); ++i) candidates.push_back({&rows[i], &assessments[i]});
  return table_of("Race", candidate_columns(), candidates);
}

Table picks_table(std::span<const RaceRow> rows, std::span<const RacePick> picks,
                  double confidence) {
  const auto name = [](const RacePick& pick) {
    const std::string what = pick.measure == RaceGoal::cost ? "cheapest" : "fastest";
    return pick.group.empty() ? what : fmt::format("{}, batch={}", what, pick.group);
  };
  Table table = table_of<RacePick>(
      "Picks",
      {{"pick", "pick", name},
       {"candidate", "candidate", [rows](auto& r) { return rows[r.row].candidate.name; }},
       {"time_s", "time", &RacePick::time, {.bounds = true}},
       {"cost_usd", "cost USD", &RacePick::cost, {.bounds = true}},
       {"chance_wrong", "chance that it is wrong",
        [](auto& r) { return Percentage{r.chance_wrong}; }},
       {"expected_regret", "expected regret",
        [](auto& r) { return Percentage{r.expected_regret}; }}},
      picks);
  std::size_t not_known = 0;
  for (const RacePick& pick : picks) not_known = std::max(not_known, pick.not_known);
  table.notes.push_back(
      fmt::format("candidates were put out with a confidence of {}: that none of them is best",
                  format_share(confidence)));
  if (not_known > 0)
    table.notes.push_back(
        fmt::format("{} candidate{} of which nothing is known {} not counted in the chances",
                    not_known, not_known == 1 ? "" : "s", not_known == 1 ? "is" : "are"));
  return table;
}

Table bill_table(const RaceBill& bill) {
  struct BillLine {
    std::string name;
    Expense expense;
  };
  const auto share = [&bill](const BillLine& line) {
    const bool by_cost = line.expense.cost > Money();
    const double other = by_cost ? line.expense.cost.dollars() : line.expense.time.count();
    const double own = by_cost ? bill.race.cost.dollars() : bill.race.time.count();
    return other > 0 ? Cell(Percentage{own / other}) : Cell();
  };
  return table_of<BillLine>(
      "What the search cost",
      {{"search", "search", &BillLine::name},
       {"time_s", "time of the probes", [](auto& r) { return r.expense.time; }},
       {"cost_usd", "cost USD", [](auto& r) { return r.expense.cost; }},
       {"race_share", "this race is", share}},
      std::vector<BillLine>{{"this race", bill.race},
                            {"plain probes, by forecast", bill.plain},
                            {"all to their end, by forecast", bill.everything}});
}

}  // namespace

std::vector<Table> race_tables(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments,
                               std::span<const RacePick> picks, const RaceBill& bill,
                               double confidence) {
  return {candidates_table(rows, assessments), picks_table(rows, picks, confidence),
          bill_table(bill)};
}

}  // namespace lapcast
