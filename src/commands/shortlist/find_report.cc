#include "commands/shortlist/find_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "commands/shortlist/shortlist_report.h"
#include "core/units.h"

namespace lapcast {
namespace {

std::string verdict_of(const SearchState& state, std::size_t probes) {
  if (state.list.rows.empty()) return "no machine can be forecast; the reasons are below";
  const ShortlistRow& first = state.list.rows.front();
  return fmt::format("take {}: {} for {} ({}); {} cost {}; the search is over because {}",
                     first.offer->name, format_duration(first.time.mid),
                     dollar_text(first.quote.total.mid), first.provenance(),
                     counted(probes, "probe"), dollar_text(state.spent), state.why);
}

Table steps_table(const std::vector<SearchStep>& steps) {
  using Row = SearchStep;
  return table_of<Row>("search_probes", "Probes of the search, in order",
                       {{"machine_type", "machine", &Row::machine},
                        {"cost_usd", "cost", &Row::cost},
                        {"regret_before", "regret before", &Row::regret_before},
                        {"regret_after", "after", &Row::regret_after},
                        {"outcome_text", "outcome", &Row::result, spare(1)}},
                       steps);
}

Table result_table(const SearchState& state, std::size_t probes) {
  Table table{.name = "search", .shape = Shape::record, .only_json = true};
  const bool any = !state.list.rows.empty();
  table.figures = {{"machine_type", "", any ? Cell(state.list.rows.front().offer->name) : Cell()},
                   {"expected_regret", "", Percentage{state.list.regret}},
                   {"probes", "", static_cast<std::int64_t>(probes)},
                   {"probes_cost_usd", "", state.spent},
                   {"reason", "", state.why}};
  return table;
}

}  // namespace

std::vector<Table> search_tables(const SearchState& state, const std::vector<SearchStep>& steps,
                                 const Preferences& preferences) {
  Shortlist list = state.list;
  list.probes.clear();
  std::vector<Table> tables = shortlist_tables(state.home, list, preferences);
  tables.front().title = "Machines";
  tables.front().notes.pop_back();  // how many offers are shown: all are
  tables.front().answer = {verdict_of(state, steps.size())};
  if (!steps.empty()) tables.push_back(steps_table(steps));
  tables.push_back(result_table(state, steps.size()));
  return tables;
}

}  // namespace lapcast
