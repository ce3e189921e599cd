#include "report/ranking_report.h"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "choose/regret.h"
#include "choose/tabulate.h"
#include "core/units.h"

namespace lapcast {
namespace {

std::string name_of(const Candidate& candidate) {
  return candidate.settings.empty() ? candidate.machine_type
                                    : candidate.machine_type + " " + candidate.settings;
}

/// Returns the offer's name where it says more than the machine type does.
Cell offer_cell(const Offer& offer) {
  return offer.name == offer.machine_type ? Cell() : Cell(offer.name);
}

struct ChosenRow {
  std::int64_t rank;
  const Choice* choice;
};

std::vector<ColumnOf<ChosenRow>> chosen_columns(Objective by) {
  const auto of_candidate = [](auto value) {
    return [value](const ChosenRow& row) {
      return cell_of(std::invoke(value, *row.choice->candidate));
    };
  };
  const auto of_choice = [](auto value) {
    return [value](const ChosenRow& row) { return cell_of(std::invoke(value, *row.choice)); };
  };
  const auto ratio = [](double Choice::*which) {
    return [which](const ChosenRow& row) { return Number{row.choice->*which, 2}; };
  };
  const auto chance = [](double Choice::*which) {
    return [which](const ChosenRow& row) { return Percentage{row.choice->*which}; };
  };
  const auto epochs = [](const Candidate& candidate) {
    return candidate.epochs > 0 ? Cell(static_cast<std::int64_t>(candidate.epochs)) : Cell();
  };
  const auto score = [by](const Choice& choice) {
    return by == Objective::score ? Cell(Number{choice.score, 2}) : Cell();
  };
  const ColumnTraits optional{.optional = true};
  return {
      {"rank", "#", &ChosenRow::rank},
      {"machine_type", "machine", of_candidate(&Candidate::machine_type)},
      {"settings", "settings", of_candidate(&Candidate::settings), optional},
      {"offer", "offer", of_choice([](auto& c) { return offer_cell(*c.offer); }), optional},
      {"epochs", "epochs", of_candidate(epochs), optional},
      {"time_s", "time", of_choice([](auto& c) { return c.quote.time; }), {.bounds = true}},
      {"cost_usd", "cost USD", of_choice([](auto& c) { return c.quote.total; }), {.bounds = true}},
      {"relative_time", "rel. time", ratio(&Choice::relative_time), {.spare = 3}},
      {"relative_cost", "rel. cost", ratio(&Choice::relative_cost), {.spare = 3}},
      {"score", "score", of_choice(score), {.optional = true, .spare = 2}},
      {"pareto",
       "Pareto",
       of_choice([](auto& c) { return c.on_pareto_front ? "*" : ""; }),
       {.spare = 4}},
      {"p_cheapest",
       "P(cheapest)",
       chance(&Choice::p_cheapest),
       {.spare = by == Objective::time ? 5 : 1}},
      {"p_fastest",
       "P(fastest)",
       chance(&Choice::p_fastest),
       {.spare = by == Objective::cost ? 5 : 1}},
      {"accuracy", "accuracy", of_candidate([](auto& c) { return share_cell(c.accuracy); }),
       optional},
      {"run", "run", of_candidate(&Candidate::run_id), {.spare = 6}}};
}

Table chosen_table(const std::string& title, const Ranking& ranking) {
  std::vector<ChosenRow> rows;
  for (const Choice& choice : ranking.chosen)
    rows.push_back({static_cast<std::int64_t>(rows.size()) + 1, &choice});
  return table_of(title, chosen_columns(ranking.by), rows);
}

Table excluded_table(const Ranking& ranking) {
  const auto machine = [](const Excluded& row) {
    if (row.candidate) return Cell(row.candidate->machine_type);
    return row.offer ? Cell(row.offer->machine_type) : Cell();
  };
  const auto settings = [](const Excluded& row) {
    return row.candidate ? Cell(row.candidate->settings) : Cell();
  };
  const auto offer = [](const Excluded& row) {
    return row.offer ? offer_cell(*row.offer) : Cell();
  };
  return table_of<Excluded>("Excluded",
                            {{"machine_type", "machine", machine},
                             {"settings", "settings", settings, {.optional = true}},
                             {"offer", "offer", offer, {.optional = true}},
                             {"reason", "reason", [](auto& row) { return row.reason.text; }}},
                            ranking.excluded);
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
  std::vector<ColumnOf<EpochRow>> columns{
      {"machine_type", "machine", [](auto& row) { return row.candidate->machine_type; }},
      {"settings", "settings", [](auto& row) { return row.candidate->settings; },
       ColumnTraits{.optional = true}},
      {"offer", "offer", [](auto& row) { return offer_cell(*row.offer); },
       ColumnTraits{.optional = true}}};
  const auto add = [&](const char* what, double EpochCell::*ratio) {
    for (std::size_t i = 0; i < epochs.size(); ++i)
      columns.push_back({fmt::format("relative_{}_{}_epochs", what, epochs[i]),
                         fmt::format("{} @{}", what, epochs[i]), [i, ratio](const EpochRow& row) {
                           const auto& cell = row.cells[i];
                           return cell ? Cell(Number{(*cell).*ratio, 2}) : Cell();
                         }});
  };
  add("time", &EpochCell::relative_time);
  add("cost", &EpochCell::relative_cost);
  const std::vector<double> counts(epochs.begin(), epochs.end());
  return table_of("Relative to the best of each column [Malta]", columns,
                  tabulate(ranking.chosen, counts));
}

}  // namespace lapcast
