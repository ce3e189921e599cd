#include "report/ranking_columns.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "report/cells.h"
#include "report/learned_epochs_report.h"

namespace lapcast {
namespace {

using ChoiceColumns = std::vector<ColumnOf<Choice>>;

/// Returns a function of a choice that gives a cell of its candidate.
template <class Value>
auto of_candidate(Value value) {
  return [value](const Choice& choice) { return cell_of(std::invoke(value, *choice.candidate)); };
}

/// Returns a function of a choice that gives its cell; an empty one in all rows unless `holds`.
template <class Value>
auto cell_where(bool holds, Value value) {
  return [=](const Choice& choice) { return holds ? cell_of(value(choice)) : Cell(); };
}

/// Returns an interval; only its mid for a method without intervals, which does not mean that it is
/// exact.
template <class T>
Cell bounded(const Ranking& ranking, const Interval<T>& interval) {
  return ranking.method == Method::lapcast ? Cell(interval) : Cell(interval.mid);
}

Interval<Money> cost_of_1000(const Choice& choice) {
  const Interval<Money>& cost = choice.quote.total;
  return {scaled(cost.low, 1000), scaled(cost.mid, 1000), scaled(cost.high, 1000)};
}

Cell planned_epochs(const Candidate& candidate) {
  return candidate.epochs > 0 ? Cell(static_cast<std::int64_t>(candidate.epochs)) : Cell();
}

ChoiceColumns columns_of_candidates(const Ranking& ranking) {
  const auto rank = [&ranking](auto& c) { return &c - ranking.chosen.data() + 1; };
  const auto settings = [](auto& c) { return Settings{c.settings}; };
  const bool differ = conditions_differ(ranking);
  ChoiceColumns columns{
      {"rank", "#", rank},
      {"machine_type", "machine", of_candidate(&Candidate::machine_type)},
      {"where", "where", of_candidate(&Candidate::where), kOptional | kTellsApart},
      {"settings", "settings", of_candidate(settings), kOptional},
      {"offer", "offer", [](auto& c) { return offer_cell(*c.offer); }, kOptional},
      {"epochs", "", of_candidate(planned_epochs)},
      {"", "epochs", of_candidate(epochs_cell), kOptional | spare(7)},
      {"conditions", "conditions",
       cell_where(differ, [](auto& c) { return c.candidate->conditions; }), kOptional}};
  const auto source = [](auto& c) {
    return std::string(c.provenance.empty() ? "measured" : c.provenance);
  };
  columns.push_back({"provenance", has_unmeasured(ranking) ? "from" : "", of_candidate(source)});
  return columns;
}

ChoiceColumns columns_of_times_and_costs(const Ranking& ranking) {
  const bool tiny = costs_are_tiny(ranking);
  const bool priced = ranking.is_priced;
  const auto time = [&ranking](auto& c) { return bounded(ranking, c.quote.time); };
  const auto cost = [&ranking](auto& c) { return bounded(ranking, c.quote.total); };
  const auto of_1000 = [&ranking](auto& c) { return bounded(ranking, cost_of_1000(c)); };
  const auto set_up = [](auto& c) { return time_or_nothing(c.demand.before.preparation); };
  const auto data_in = [](auto& c) { return time_or_nothing(c.demand.before.data_in); };
  return {{"time_s", "time", time, kBounds},
          {"cost_usd", tiny ? "" : "cost", cell_where(priced, cost), kBounds | kOptional},
          {"", tiny ? "cost of 1000 runs" : "", cell_where(priced, of_1000), kOptional},
          {"preparation_s", "set-up", of_candidate(set_up), kOptional | spare(2)},
          {"data_in_s", "data in", of_candidate(data_in), kOptional | spare(2)}};
}

ChoiceColumns columns_of_comparisons(const Ranking& ranking) {
  const bool priced = ranking.is_priced;
  const bool sure = says_how_sure(ranking);
  const Objective by = ranking.by;
  return {{"relative_time", "x time",
           [](auto& c) {
             return Number{c.relative_time, 2};
           },
           spare(3)},
          {"relative_cost", "x cost",
           cell_where(priced,
                      [](auto& c) {
                        return Number{c.relative_cost, 2};
                      }),
           kOptional | spare(3)},
          {"score", "score",
           cell_where(by == Objective::score,
                      [](auto& c) {
                        return Number{c.score, 2};
                      }),
           kOptional | spare(2)},
          {"pareto", "Pareto", cell_where(priced, [](auto& c) { return Mark{c.on_pareto_front}; }),
           kOptional | spare(4)},
          {"p_cheapest", "P(cheapest)",
           cell_where(sure && priced, [](auto& c) { return Chance{c.p_cheapest}; }),
           kOptional | spare(by == Objective::time ? 5 : 1)},
          {"p_fastest", "P(fastest)", cell_where(sure, [](auto& c) { return Chance{c.p_fastest}; }),
           kOptional | spare(by == Objective::cost ? 5 : 1)},
          {"p_late", "P(late)",
           cell_where(ranking.method == Method::lapcast,
                      [](auto& c) { return c.p_late ? Cell(Chance{*c.p_late}) : Cell(); }),
           kOptional},
          {"accuracy", "accuracy", of_candidate([](auto& c) { return share_cell(c.accuracy); }),
           kOptional}};
}

ChoiceColumns columns_of_energy(const Ranking& ranking) {
  const bool shown = ranking.with_energy;
  const auto source = [](auto& energy) { return to_string(energy.source); };
  return {{"energy_kwh", shown ? "kWh" : "",
           [](auto& c) { return cell_if(c.energy, &TrainingEnergy::kwh); },
           kBounds | kOptional | spare(1)},
          {"co2e_g", shown ? "gCO2e" : "",
           [](auto& c) { return cell_if(c.energy, &TrainingEnergy::co2_g); },
           kBounds | kOptional | spare(1)},
          {"energy_source", "", [source](auto& c) { return cell_if(c.energy, source); }}};
}

ChoiceColumns columns_of_sources(const Ranking& ranking) {
  const bool priced = ranking.is_priced;
  return {{"price_usd_per_hour", "",
           cell_where(priced, [](auto& c) { return c.offer->price.per_hour; })},
          {"price_as_of", "", cell_where(priced, [](auto& c) { return c.offer->as_of; })},
          {"price_source", "", cell_where(priced, [](auto& c) { return c.offer->source; })},
          {"run", "run", of_candidate(&Candidate::run_id), spare(6)}};
}

}  // namespace

bool costs_are_tiny(const Ranking& ranking) {
  return ranking.is_priced && std::ranges::all_of(ranking.chosen, [](const Choice& choice) {
           return choice.quote.total.mid < Money::parse("0.01");
         });
}

bool has_unmeasured(const Ranking& ranking) {
  return std::ranges::any_of(
      ranking.chosen, [](const Choice& choice) { return !choice.candidate->provenance.empty(); });
}

bool conditions_differ(const Ranking& ranking) {
  return std::ranges::any_of(ranking.chosen, [&](const Choice& choice) {
    return choice.candidate->conditions != ranking.chosen.front().candidate->conditions;
  });
}

bool says_how_sure(const Ranking& ranking) {
  return ranking.method == Method::lapcast && !conditions_differ(ranking);
}

std::vector<ColumnOf<Choice>> choice_columns(const Ranking& ranking) {
  ChoiceColumns columns;
  for (const auto& group : {columns_of_candidates, columns_of_times_and_costs,
                            columns_of_comparisons, columns_of_energy, columns_of_sources})
    std::ranges::move(group(ranking), std::back_inserter(columns));
  return columns;
}

}  // namespace lapcast
