#include "report/race_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/cost_cell.h"

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

std::vector<Cell> row_of(const RaceRow& row, const Assessment& assessment) {
  const RaceStanding& standing = row.standing;
  std::vector<Cell> cells{row.candidate.name, state_in_words(standing)};
  if (row.run) {
    cells.push_back(assessment.profile ? Cell(assessment.profile->steady.mean) : Cell());
    cells.push_back(standing.observed.laps);
    cells.push_back(row.run->wall());
  } else {
    cells.resize(5);
  }
  const bool known = assessment.forecast.has_value() && row.run;
  cells.push_back(known ? Cell(assessment.forecast->total) : Cell());
  const PricedCell cost =
      known ? cost_cell(row.candidate.price, assessment.forecast) : PricedCell{};
  cells.push_back(cost.cell);
  std::string reason = standing.reason;
  if (!cost.why_not.empty())
    reason += (reason.empty() ? "no cost: " : "; no cost: ") + cost.why_not;
  cells.push_back(reason.empty() ? Cell() : Cell(reason));
  cells.push_back(row.run ? Cell(row.run->context.id) : Cell());
  return cells;
}

Table candidates_table(std::span<const RaceRow> rows, std::span<const Assessment> assessments) {
  Table table{"Race",
              {},
              {{"candidate", "candidate"},
               {"state", "state"},
               {.key = "lap_s", .header = "steady lap", .bounds = true, .spare = 2},
               {.key = "laps", .header = "laps", .spare = 3},
               {.key = "ran_s", .header = "ran", .spare = 4},
               {"time_s", "forecast", true},
               {.key = "cost_usd", .header = "cost USD", .bounds = true, .optional = true},
               {.key = "reason", .header = "reason", .optional = true},
               {.key = "run", .header = "run", .spare = 1}},
              {},
              {}};
  for (std::size_t i = 0; i < rows.size(); ++i)
    table.rows.push_back(row_of(rows[i], assessments[i]));
  return table;
}

Table picks_table(std::span<const RaceRow> rows, std::span<const RacePick> picks,
                  double confidence) {
  Table table{"Picks",
              {},
              {{"pick", "pick"},
               {"candidate", "candidate"},
               {"time_s", "time", true},
               {"cost_usd", "cost USD", true},
               {"chance_wrong", "chance that it is wrong"},
               {"expected_regret", "expected regret"}},
              {},
              {}};
  std::size_t not_known = 0;
  for (const RacePick& pick : picks) {
    const std::string what = pick.measure == RaceGoal::cost ? "cheapest" : "fastest";
    table.rows.push_back({pick.group.empty() ? what : fmt::format("{}, batch={}", what, pick.group),
                          rows[pick.row].candidate.name, pick.time, pick.cost,
                          Percentage{pick.chance_wrong}, Percentage{pick.expected_regret}});
    not_known = std::max(not_known, pick.not_known);
  }
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
  Table table{"What the search cost",
              {},
              {{"search", "search"},
               {"time_s", "time of the probes"},
               {"cost_usd", "cost USD"},
               {"race_share", "this race is"}},
              {},
              {}};
  const auto row = [&](const std::string& what, const Expense& cost) {
    const bool by_cost = cost.cost > Money();
    const double other = by_cost ? cost.cost.dollars() : cost.time.count();
    const double own = by_cost ? bill.race.cost.dollars() : bill.race.time.count();
    table.rows.push_back(
        {what, cost.time, cost.cost, other > 0 ? Cell(Percentage{own / other}) : Cell()});
  };
  row("this race", bill.race);
  row("plain probes, by forecast", bill.plain);
  row("all to their end, by forecast", bill.everything);
  return table;
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
