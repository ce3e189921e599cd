#include "report/ranking_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "choose/saving.h"
#include "choose/tabulate.h"
#include "core/units.h"

namespace lapcast {
namespace {

std::string name_of(const Candidate& candidate) {
  return candidate.settings.empty() ? candidate.machine_type
                                    : candidate.machine_type + " " + candidate.settings;
}

/// The offer's name where it says more than the machine type does.
Cell offer_cell(const Offer& offer) {
  if (offer.name == offer.machine_type) return std::monostate{};
  return offer.name;
}

Table chosen_table(const std::string& title, const Ranking& ranking) {
  Table table{
      title,
      {},
      {{"rank", "#"},
       {"machine_type", "machine"},
       {.key = "settings", .header = "settings", .optional = true},
       {.key = "offer", .header = "offer", .optional = true},
       {.key = "epochs", .header = "epochs", .optional = true},
       {"time_s", "time", true},
       {"cost_usd", "cost USD", true},
       {.key = "relative_time", .header = "rel. time", .spare = 3},
       {.key = "relative_cost", .header = "rel. cost", .spare = 3},
       {.key = "score", .header = "score", .optional = true, .spare = 2},
       {.key = "pareto", .header = "Pareto", .spare = 4},
       {.key = "p_cheapest",
        .header = "P(cheapest)",
        .spare = ranking.by == Objective::time ? 5 : 1},
       {.key = "p_fastest", .header = "P(fastest)", .spare = ranking.by == Objective::cost ? 5 : 1},
       {.key = "accuracy", .header = "accuracy", .optional = true},
       {.key = "run", .header = "run", .spare = 6}},
      {},
      {}};
  std::int64_t rank = 0;
  for (const Choice& choice : ranking.chosen) {
    const Candidate& candidate = *choice.candidate;
    const Cell epochs = candidate.epochs > 0 ? Cell(static_cast<std::int64_t>(candidate.epochs))
                                             : Cell(std::monostate{});
    const Cell accuracy = candidate.accuracy ? Cell(Percentage{*candidate.accuracy}) : Cell();
    table.rows.push_back({++rank, candidate.machine_type, candidate.settings,
                          offer_cell(*choice.offer), epochs, choice.quote.time, choice.quote.total,
                          Number{choice.relative_time, 2}, Number{choice.relative_cost, 2},
                          ranking.by == Objective::score ? Cell(Number{choice.score, 2}) : Cell(),
                          std::string(choice.on_pareto_front ? "*" : ""),
                          Percentage{choice.p_cheapest}, Percentage{choice.p_fastest}, accuracy,
                          candidate.run_id});
  }
  return table;
}

Table excluded_table(const Ranking& ranking) {
  Table table{"Excluded",
              {},
              {{"machine_type", "machine"},
               {.key = "settings", .header = "settings", .optional = true},
               {.key = "offer", .header = "offer", .optional = true},
               {"reason", "reason"}},
              {},
              {}};
  for (const Excluded& excluded : ranking.excluded) {
    const Candidate* candidate = excluded.candidate.get();
    const Offer* offer = excluded.offer.get();
    table.rows.push_back({candidate ? Cell(candidate->machine_type)
                          : offer   ? Cell(offer->machine_type)
                                    : Cell(),
                          candidate ? Cell(candidate->settings) : Cell(),
                          offer ? offer_cell(*offer) : Cell(), excluded.reason.text});
  }
  return table;
}

std::string price_note(const Ranking& ranking) {
  std::set<std::string> sources;
  for (const Choice& choice : ranking.chosen)
    sources.insert(fmt::format("{} as of {}", choice.offer->source, choice.offer->as_of));
  std::string text;
  for (const std::string& source : sources) text += (text.empty() ? "prices: " : "; ") + source;
  return text;
}

std::string winner_note(const Ranking& ranking) {
  const Choice& best = ranking.chosen.front();
  const double p = ranking.by == Objective::time ? best.p_fastest : best.p_cheapest;
  if (ranking.by == Objective::score)
    return fmt::format("best score: {}", name_of(*best.candidate));
  return fmt::format("{}: {}, with probability {}; expected regret {}",
                     ranking.by == Objective::time ? "fastest" : "cheapest",
                     name_of(*best.candidate), format_share(p),
                     format_share(ranking.expected_regret));
}

std::string search_note(const SearchCost& search) {
  const std::string text =
      fmt::format("{} probes cost {} USD; running all {} candidates to the end would cost {} USD",
                  search.probes_counted, rounded_decimal(search.probes), search.candidates_counted,
                  rounded_decimal(search.everything));
  const Result<double> saved = saving(search.everything, search.probes);
  return saved && *saved > 0 ? fmt::format("{}: {} saved", text, format_share(*saved)) : text;
}

}  // namespace

std::vector<Table> ranking_tables(const std::string& title, const Ranking& ranking,
                                  const std::optional<SearchCost>& search) {
  Table chosen = chosen_table(title, ranking);
  if (!ranking.chosen.empty()) {
    chosen.notes.push_back(winner_note(ranking));
    for (const Crossover& crossover : ranking.crossovers)
      chosen.notes.push_back(fmt::format("from {:.0f} epochs on {} wins, below it {}",
                                         crossover.epochs, name_of(*crossover.after),
                                         name_of(*crossover.before)));
    chosen.notes.push_back(price_note(ranking));
  }
  if (search) chosen.notes.push_back(search_note(*search));
  std::vector<Table> tables{chosen};
  if (!ranking.excluded.empty()) tables.push_back(excluded_table(ranking));
  return tables;
}

Table relative_table(const Ranking& ranking, const std::vector<std::int64_t>& epochs) {
  Table table{"Relative to the best of each column [Malta]",
              {},
              {{"machine_type", "machine"},
               {.key = "settings", .header = "settings", .optional = true},
               {.key = "offer", .header = "offer", .optional = true}},
              {},
              {}};
  for (const char* what : {"time", "cost"})
    for (const std::int64_t count : epochs)
      table.columns.push_back(
          {fmt::format("relative_{}_{}_epochs", what, count), fmt::format("{} @{}", what, count)});
  const std::vector<double> counts(epochs.begin(), epochs.end());
  for (const EpochRow& row : tabulate(ranking.chosen, counts)) {
    std::vector<Cell> cells{row.candidate->machine_type, row.candidate->settings,
                            offer_cell(*row.offer)};
    for (const auto& cell : row.cells)
      cells.push_back(cell ? Cell(Number{cell->relative_time, 2}) : Cell());
    for (const auto& cell : row.cells)
      cells.push_back(cell ? Cell(Number{cell->relative_cost, 2}) : Cell());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace lapcast
