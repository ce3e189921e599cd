#include "report/ranking_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "choose/cost_curve.h"
#include "choose/odds.h"
#include "core/units.h"
#include "report/forecast_report.h"

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

std::vector<ColumnOf<Choice>> chosen_columns(const Ranking& ranking) {
  const auto of_candidate = [](auto value) {
    return [value](const Choice& choice) { return cell_of(std::invoke(value, *choice.candidate)); };
  };
  const auto ratio = [](double Choice::*which) {
    return [which](const Choice& choice) { return Number{choice.*which, 2}; };
  };
  const auto chance = [](double Choice::*which) {
    return [which](const Choice& choice) { return Percentage{choice.*which}; };
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

std::string name_of(const VerifiedForecast& row) {
  return row.settings.empty() ? row.machine_type : row.machine_type + " " + row.settings;
}

template <class Measure>
std::size_t lowest(const std::vector<VerifiedForecast>& rows, Measure measure) {
  const auto less = [&](const auto& a, const auto& b) { return measure(a) < measure(b); };
  return static_cast<std::size_t>(std::min_element(rows.begin(), rows.end(), less) - rows.begin());
}

std::size_t cheapest_forecast(const std::vector<VerifiedForecast>& rows) {
  return lowest(rows, [](const VerifiedForecast& row) {
    return row.forecast_cost ? row.forecast_cost->mid : Money::from_nanos(INT64_MAX);
  });
}

std::size_t fastest_forecast(const std::vector<VerifiedForecast>& rows) {
  return lowest(rows, [](const VerifiedForecast& row) { return row.forecast.mid; });
}

std::string regret_note(const std::string& what, const std::vector<VerifiedForecast>& rows,
                        std::size_t pick, const Result<Regret>& regret) {
  if (!regret)
    return fmt::format("regret by {} of {}: not known: {}", what, name_of(rows[pick]),
                       regret.error().text);
  return fmt::format("regret by {} of {}: {}{}; the best was {}", what, name_of(rows[pick]),
                     regret->lower_bound ? "at least " : "", format_share(regret->relative),
                     name_of(rows[regret->best]));
}

/// Returns the candidate that someone would take who reads only the price list: the lowest price
/// per hour, and among equal prices the lowest real cost, to be fair.
const VerifiedForecast* by_the_price_list(const std::vector<VerifiedForecast>& rows) {
  const VerifiedForecast* chosen = nullptr;
  for (const VerifiedForecast& row : rows) {
    if (!row.price_per_hour || !row.real_cost) continue;
    if (chosen == nullptr || std::pair(*row.price_per_hour, *row.real_cost) <
                                 std::pair(*chosen->price_per_hour, *chosen->real_cost))
      chosen = &row;
  }
  return chosen;
}

/// Says how far the forecasts of a verification were off, and what the picks lost.
struct Verdicts {
  ForecastErrors errors;
  Result<Regret> by_cost;
  Result<Regret> by_time;
};

Verdicts verdicts_of(const std::vector<VerifiedForecast>& rows) {
  std::vector<ForecastAndReal> pairs;
  std::vector<std::optional<double>> times, costs;
  for (const VerifiedForecast& row : rows) {
    times.push_back(row.real ? std::optional(row.real->count()) : std::nullopt);
    costs.push_back(row.real_cost ? std::optional(row.real_cost->dollars()) : std::nullopt);
    if (row.real) pairs.push_back({row.forecast, *row.real});
  }
  return {errors_of(pairs), regret_of(cheapest_forecast(rows), costs),
          regret_of(fastest_forecast(rows), times)};
}

/// Returns "In short: ..."; empty when the pick was not run or has no price.
std::string in_short(const std::vector<VerifiedForecast>& rows, const Verdicts& verdicts,
                     const ProbeBill& bill) {
  if (!verdicts.errors.median) return "";
  const VerifiedForecast& pick = rows[cheapest_forecast(rows)];
  if (!pick.real_cost) return "";
  std::string text = fmt::format(
      "In short: {} probes for {} USD picked {} as the cheapest, {} USD a training", bill.probes,
      rounded_decimal(bill.total), name_of(pick), rounded_decimal(*pick.real_cost));
  const VerifiedForecast* naive = by_the_price_list(rows);
  if (naive != nullptr && naive != &pick)
    if (const auto saved = saving(*naive->real_cost, *pick.real_cost))
      text += fmt::format("; that is {} less than on {}, which has the lowest price per hour",
                          format_share(*saved), name_of(*naive));
  return fmt::format("{}; the forecasts were off by {} (median of {})", text,
                     format_share(*verdicts.errors.median), verdicts.errors.known);
}

std::vector<ColumnOf<VerifiedForecast>> verify_columns() {
  const auto error = [](const VerifiedForecast& row) {
    return cell_if(row.real, [&](Seconds real) {
      return Percentage{error_of({row.forecast, real})};
    });
  };
  const auto inside = [](const VerifiedForecast& row) {
    return cell_if(row.real, [&](Seconds real) { return row.forecast.contains(real); });
  };
  const auto forecast_cost = [](const VerifiedForecast& row) {
    return cell_if(row.forecast_cost, &Interval<Money>::mid);
  };
  return {{"machine_type", "machine", &VerifiedForecast::machine_type},
          {"settings", "settings", &VerifiedForecast::settings, kOptional},
          {"epochs", "epochs", [](auto& r) { return r.epochs > 0 ? Cell(r.epochs) : Cell(); },
           kOptional | spare(3)},
          {"forecast_s", "forecast", &VerifiedForecast::forecast, kBounds},
          {"real_s", "real", &VerifiedForecast::real},
          {"error", "error", error},
          {"inside", "inside 95 %", inside},
          {"forecast_cost_usd", "forecast USD", forecast_cost, kOptional | spare(1)},
          {"real_cost_usd", "real USD", &VerifiedForecast::real_cost, kOptional},
          {"accuracy", "accuracy", [](auto& r) { return share_cell(r.accuracy); },
           kOptional | spare(2)},
          {"reason", "why not", &VerifiedForecast::reason, kOptional}};
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

std::vector<Table> verify_tables(const std::vector<VerifiedForecast>& rows, const ProbeBill& bill) {
  Table table = table_of("Forecast against real", verify_columns(), rows);
  if (rows.empty()) return {table};
  const Verdicts verdicts = verdicts_of(rows);
  if (verdicts.errors.median) table.notes.push_back(describe(verdicts.errors));
  const bool priced =
      std::ranges::any_of(rows, [](auto& row) { return row.forecast_cost.has_value(); });
  table.notes.push_back(priced
                            ? regret_note("cost", rows, cheapest_forecast(rows), verdicts.by_cost)
                            : "regret by cost: not known: no candidate has a price");
  table.notes.push_back(regret_note("time", rows, fastest_forecast(rows), verdicts.by_time));
  if (verdicts.errors.known < rows.size())
    table.notes.push_back(
        "not every candidate was run: the best may be one that was not; --all runs all");
  const std::string sentence = in_short(rows, verdicts, bill);
  if (!sentence.empty()) table.notes.push_back(sentence);
  return {table};
}

}  // namespace lapcast
