#include "report/ranking_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "choose/cost_curve.h"
#include "choose/odds.h"
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

/// Returns whether the choices are for different conditions, so that they cannot be compared.
bool conditions_differ(const Ranking& ranking) {
  return std::ranges::any_of(ranking.chosen, [&](const Choice& choice) {
    return choice.candidate->conditions != ranking.chosen.front().candidate->conditions;
  });
}

std::vector<ColumnOf<Choice>> chosen_columns(const Ranking& ranking) {
  const auto of_candidate = [](auto value) {
    return [value](const Choice& choice) { return cell_of(std::invoke(value, *choice.candidate)); };
  };
  const auto ratio = [](double Choice::*which) {
    return [which](const Choice& choice) { return Number{choice.*which, 2}; };
  };
  const bool differ = conditions_differ(ranking);
  const auto chance = [differ](double Choice::*which) {
    return [=](const Choice& choice) { return differ ? Cell() : Cell(Percentage{choice.*which}); };
  };
  const auto conditions = [differ](const Candidate& candidate) {
    return differ ? Cell(candidate.conditions) : Cell();
  };
  const auto rank = [&ranking](const Choice& choice) {
    return &choice - ranking.chosen.data() + 1;
  };
  const auto epochs = [](const Candidate& candidate) {
    return candidate.epochs > 0 ? Cell(static_cast<std::int64_t>(candidate.epochs)) : Cell();
  };
  const Objective by = ranking.by;
  const auto score = [by](const Choice& choice) {
    return by == Objective::score ? Cell(Number{choice.score, 2}) : Cell();
  };
  return {
      {"rank", "#", rank},
      {"machine_type", "machine", of_candidate(&Candidate::machine_type)},
      {"settings", "settings", of_candidate(&Candidate::settings), kOptional},
      {"offer", "offer", [](auto& c) { return offer_cell(*c.offer); }, kOptional},
      {"epochs", "epochs", of_candidate(epochs), kOptional},
      {"conditions", "conditions", of_candidate(conditions), kOptional},
      {"time_s", "time", [](auto& c) { return c.quote.time; }, kBounds},
      {"cost_usd", "cost USD", [](auto& c) { return c.quote.total; }, kBounds},
      {"relative_time", "rel. time", ratio(&Choice::relative_time), spare(3)},
      {"relative_cost", "rel. cost", ratio(&Choice::relative_cost), spare(3)},
      {"score", "score", score, kOptional | spare(2)},
      {"pareto", "Pareto", [](auto& c) { return c.on_pareto_front ? "*" : ""; }, spare(4)},
      {"p_cheapest", "P(cheapest)", chance(&Choice::p_cheapest),
       spare(by == Objective::time ? 5 : 1)},
      {"p_fastest", "P(fastest)", chance(&Choice::p_fastest), spare(by == Objective::cost ? 5 : 1)},
      {"accuracy", "accuracy", of_candidate([](auto& c) { return share_cell(c.accuracy); }),
       kOptional},
      {"run", "run", of_candidate(&Candidate::run_id), spare(6)}};
}

Table excluded_table(const Ranking& ranking) {
  const auto machine = [](const Excluded& row) {
    return row.candidate ? Cell(row.candidate->machine_type)
                         : cell_if(row.offer, &Offer::machine_type);
  };
  const auto settings = [](const Excluded& row) {
    return cell_if(row.candidate, &Candidate::settings);
  };
  const auto offer = [](const Excluded& row) { return cell_if(row.offer, offer_cell); };
  return table_of<Excluded>("Excluded",
                            {{"machine_type", "machine", machine},
                             {"settings", "settings", settings, kOptional},
                             {"offer", "offer", offer, kOptional},
                             {"reason", "reason", [](auto& row) { return row.reason.text; }}},
                            ranking.excluded);
}

std::string price_note(const Ranking& ranking) {
  std::set<std::string> sources;
  for (const Choice& choice : ranking.chosen)
    sources.insert(fmt::format("{} as of {}", choice.offer->source, choice.offer->as_of));
  return fmt::format("prices: {}", fmt::join(sources, "; "));
}

std::string winner_note(const Ranking& ranking) {
  const Choice& best = ranking.chosen.front();
  const double p = ranking.by == Objective::time ? best.p_fastest : best.p_cheapest;
  if (ranking.by == Objective::score)
    return fmt::format("best score: {}", name_of(*best.candidate));
  const char* const what = ranking.by == Objective::time ? "fastest" : "cheapest";
  if (conditions_differ(ranking))
    return fmt::format(
        "{}: {}, how surely is not said: some forecasts are of an undisturbed "
        "machine; --conditions as-measured compares all alike",
        what, name_of(*best.candidate));
  return fmt::format("{}: {}, with probability {}; expected regret {}", what,
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
  Table chosen = table_of(title, chosen_columns(ranking), ranking.chosen);
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
      {"settings", "settings", [](auto& row) { return row.candidate->settings; }, kOptional},
      {"offer", "offer", [](auto& row) { return offer_cell(*row.offer); }, kOptional}};
  const auto add = [&](const char* what, double EpochCell::*ratio) {
    for (std::size_t i = 0; i < epochs.size(); ++i)
      columns.push_back(
          {fmt::format("relative_{}_{}_epochs", what, epochs[i]),
           fmt::format("{} @{}", what, epochs[i]), [i, ratio](const EpochRow& row) {
             return cell_if(row.cells[i], [ratio](auto& cell) { return Number{cell.*ratio, 2}; });
           }});
  };
  add("time", &EpochCell::relative_time);
  add("cost", &EpochCell::relative_cost);
  const std::vector<double> counts(epochs.begin(), epochs.end());
  return table_of("Relative to the best of each column [Malta]", columns,
                  tabulate(ranking.chosen, counts));
}

}  // namespace lapcast
