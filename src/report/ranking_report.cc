#include "report/ranking_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "core/units.h"
#include "rank/measuring_value.h"
#include "rank/odds.h"
#include "report/answer.h"
#include "report/cells.h"
#include "report/crossover_report.h"
#include "report/energy_report.h"
#include "report/learned_epochs_report.h"
#include "report/ranking_columns.h"
#include "report/spot_report.h"

namespace lapcast {
namespace {

/// Returns "$9.87", or "$0.306 per 1000 runs" if the costs of the ranking are tiny.
std::string cost_text(const Ranking& ranking, Money cost) {
  if (!costs_are_tiny(ranking)) return dollar_text(cost);
  return dollar_text(scaled(cost, 1000)) + " per 1000 runs";
}

Table excluded_table(const Ranking& ranking) {
  const auto machine = [](const Excluded& row) {
    return row.candidate ? Cell(row.candidate->machine_type)
                         : cell_if(row.offer, &Offer::machine_type);
  };
  const auto settings = [](const Excluded& row) {
    return cell_if(row.candidate, [](auto& candidate) { return Settings{candidate.settings}; });
  };
  const auto offer = [](const Excluded& row) { return cell_if(row.offer, offer_cell); };
  Table table =
      table_of<Excluded>("excluded", "Excluded",
                         {{"machine_type", "machine", machine},
                          {"settings", "settings", settings, kOptional},
                          {"offer", "offer", offer, kOptional},
                          {"reason", "reason", [](auto& row) { return row.reason.text; }}},
                         ranking.excluded);
  table.only_json = ranking.excluded.empty();
  return table;
}

/// Returns what is known of a ranking as a whole, in one row.
Table rankings_table(const Ranking& ranking, const std::optional<SearchCost>& search,
                     const RankingNumber& which) {
  // The names are in the order of Objective.
  constexpr const char* kNames[] = {"cost", "time", "score", "energy", "co2"};
  const bool is_known =
      !ranking.chosen.empty() && says_how_sure(ranking) && !is_by_energy(ranking.by);
  const auto of_search = [&](auto member) {
    return search && ranking.is_priced ? cell_of((*search).*member) : Cell();
  };
  Table table = json_record(
      "rankings",
      {{"ranking", "", which.number},
       {"by", "", std::string(kNames[static_cast<std::size_t>(ranking.by)])},
       {"method", "", cell_of(to_string(ranking.method))},
       {"epochs", "", cell_of(which.epochs)},
       {"batch_size", "", cell_of(which.batch_size)},
       {"candidates", "", cell_of(ranking.chosen.size())},
       {"excluded", "", cell_of(ranking.excluded.size())},
       {"expected_regret", "", is_known ? Cell(Percentage{ranking.expected_regret}) : Cell()},
       {"probes", "", of_search(&SearchCost::probes_counted)},
       {"probes_cost_usd", "", of_search(&SearchCost::probes)},
       {"trainings", "", of_search(&SearchCost::candidates_counted)},
       {"trainings_cost_usd", "", of_search(&SearchCost::everything)}});
  table.shape = Shape::rows;
  return table;
}

std::string price_note(const Ranking& ranking) {
  if (!ranking.is_priced)
    return "no prices are known, so times are ranked; a fleet file, --price or a catalog "
           "(--offers) has them";
  std::set<std::string> sources;
  for (const Choice& choice : ranking.chosen)
    sources.insert(fmt::format("{} as of {}", choice.offer->source, choice.offer->as_of));
  return fmt::format("prices: {}", fmt::join(sources, "; "));
}

/// Names the best choice of a kind, for the lines above the ranking.
struct Answer {
  std::string what;  // "CHEAPEST"
  const Choice* choice;
  std::string sure;
};

/// Returns "$4.82 more saves 8.4 h": the extra cost and the gain of the faster choice; only the
/// gain if costs are tiny.
std::string trade(const Ranking& ranking, const Quote& cheaper, const Quote& faster) {
  const Money more = faster.total.mid - cheaper.total.mid;
  return fmt::format("{}saves {}", costs_are_tiny(ranking) ? "" : dollar_text(more) + " more ",
                     format_duration(cheaper.time.mid - faster.time.mid));
}

std::string kwh_text(const Choice& choice) {
  return fmt::format("{:.3g} kWh", choice.energy->kwh.mid);
}

std::string co2_text(const Choice& choice) {
  return fmt::format("{:.3g} g CO2e", choice.energy->co2_g->mid);
}

/// Returns whether all choices are one measured time at different prices, so that none is faster.
bool of_one_measurement(const Ranking& ranking) {
  const Choice& first = ranking.chosen.front();
  return std::ranges::all_of(ranking.chosen, [&](const Choice& choice) {
    return choice.candidate->run_id == first.candidate->run_id &&
           choice.quote.time == first.quote.time;
  });
}

std::vector<Answer> answers_of(const Ranking& ranking) {
  const auto sure = [&](double chance) {
    return says_how_sure(ranking) ? format_chance(chance) + " sure" : std::string();
  };
  const auto first_by = [&](auto value) {
    return &*std::ranges::min_element(ranking.chosen, {}, value);
  };
  const Choice* const best = &ranking.chosen.front();
  if (ranking.by == Objective::score) return {{"BEST SCORE", best, ""}};
  if (ranking.by == Objective::energy) return {{"LEAST ENERGY", best, kwh_text(*best)}};
  if (ranking.by == Objective::co2) return {{"LEAST CO2", best, co2_text(*best)}};
  const bool by_cost = ranking.by == Objective::cost;
  if (ranking.chosen.size() == 1)
    return {{by_cost ? "CHEAPEST" : "FASTEST", best, "the only candidate"}};
  const Choice* const fastest =
      by_cost ? first_by([](const Choice& c) { return c.quote.time.mid; }) : best;
  if (!ranking.is_priced) return {{"FASTEST", fastest, sure(fastest->p_fastest)}};
  const Choice* const cheapest =
      by_cost ? best : first_by([](const Choice& c) { return c.quote.total.mid; });
  Answer cheap{"CHEAPEST", cheapest, sure(cheapest->p_cheapest)};
  if (of_one_measurement(ranking)) return {cheap};
  Answer fast{"FASTEST", fastest, sure(fastest->p_fastest)};
  if (cheapest == fastest) {
    const std::string both = fmt::format("{} and {} sure", format_chance(cheapest->p_cheapest),
                                         format_chance(fastest->p_fastest));
    return {{"CHEAPEST AND FASTEST", cheapest, says_how_sure(ranking) ? both : ""}};
  }
  std::string& text = by_cost ? fast.sure : cheap.sure;
  text += (text.empty() ? "" : "; ") + trade(ranking, cheapest->quote, fastest->quote);
  return by_cost ? std::vector{cheap, fast} : std::vector{fast, cheap};
}

/// Returns a line that names the choices which cost the same as the cheapest one; empty if none
/// does, or if the ranking is not by cost.
std::string tie_text(const Ranking& ranking) {
  const Choice& first = ranking.chosen.front();
  if (ranking.by != Objective::cost || !ranking.is_priced) return "";
  std::vector<std::string> names;
  for (const Choice& choice : ranking.chosen)
    if (&choice != &first && choice.quote.total.mid == first.quote.total.mid)
      names.push_back(name_of(choice, ranking));
  return names.empty() ? ""
                       : fmt::format("a tie: as cheap as {}, and not faster: {}",
                                     name_of(first, ranking), short_list(names));
}

/// Returns how much more the first choice is expected to cost than the best one.
std::string regret_note(const Ranking& ranking) {
  if (ranking.method != Method::lapcast)
    return fmt::format(
        "by the method {} [Malta], which says no interval: how sure this is is not known",
        to_string(ranking.method));
  if (conditions_differ(ranking))
    return "how sure this is is not said: some forecasts are of an undisturbed machine; "
           "--conditions as-measured compares all alike";
  const double regret = ranking.expected_regret;
  return fmt::format("expected regret {}: what {} may lose against the best, on average",
                     regret < 0.001 ? "below 0.1 %" : format_share(regret),
                     name_of(ranking.chosen.front(), ranking));
}

/// Returns what three more minutes of measuring are worth, for JSON.
Table measuring_table(const std::vector<MeasuringValue>& values) {
  const auto of_choice = [](auto value) {
    return [value](const MeasuringValue& row) { return value(*row.choice); };
  };
  Table table = table_of<MeasuringValue>(
      "measuring_values", "",
      {{"machine_type", "", of_choice([](auto& c) { return c.candidate->machine_type; })},
       {"settings", "", of_choice([](auto& c) { return Settings{c.candidate->settings}; })},
       {"offer", "", of_choice([](auto& c) { return offer_cell(*c.offer); })},
       {"cost_usd", "", &MeasuringValue::price},
       {"worth_usd", "", &MeasuringValue::worth},
       {"regret_after", "", [](auto& row) { return Percentage{row.regret_after}; }}},
      values);
  table.only_json = true;
  return table;
}

std::string measuring_note(const Ranking& ranking, const MeasuringValue& value) {
  return fmt::format(
      "three {}minutes on {} are worth {} and cost {}: expected regret {} after them",
      value.choice->candidate->provenance.empty() ? "more " : "", name_of(*value.choice, ranking),
      dollar_text(value.worth), dollar_text(value.price), format_share(value.regret_after));
}

std::string search_note(const SearchCost& search) {
  if (search.probes_counted == 0)
    return fmt::format(
        "what the probes cost is not known; running all {} candidates to the end would cost {}",
        search.candidates_counted, dollar_text(search.everything));
  const std::string text = fmt::format(
      "{} cost {}; running {} to the end would cost {}", counted(search.probes_counted, "probe"),
      dollar_text(search.probes),
      search.candidates_counted == 1 ? "the candidate"
                                     : fmt::format("all {} candidates", search.candidates_counted),
      dollar_text(search.everything));
  const Result<double> saved = saving(search.everything, search.probes);
  return saved && *saved > 0 ? fmt::format("{}: {} saved", text, format_share(*saved)) : text;
}

}  // namespace

std::vector<std::string> ranking_answer(const Ranking& ranking) {
  if (ranking.chosen.empty()) return {"no candidate can be ranked"};
  std::vector<AnswerRow> rows;
  for (const Answer& answer : answers_of(ranking)) {
    const Quote& quote = answer.choice->quote;
    rows.push_back({answer.what, name_of(*answer.choice, ranking),
                    ranking.is_priced ? cost_text(ranking, quote.total.mid) : "",
                    format_duration(quote.time.mid), answer.sure});
  }
  std::vector<std::string> lines = aligned_rows(rows);
  if (std::string tie = tie_text(ranking); !tie.empty()) lines.push_back(std::move(tie));
  return lines;
}

std::vector<Table> ranking_tables(const std::string& title, const Ranking& ranking,
                                  const std::optional<SearchCost>& search,
                                  const RankingNumber& which) {
  Table chosen = table_of("candidates", title, choice_columns(ranking), ranking.chosen);
  const std::vector<MeasuringValue> values =
      says_how_sure(ranking) ? measuring_values(ranking) : std::vector<MeasuringValue>{};
  if (!ranking.chosen.empty()) {
    chosen.answer = ranking_answer(ranking);
    if (ranking.chosen.size() > 1 && !is_by_energy(ranking.by))
      (says_how_sure(ranking) ? chosen.after : chosen.notes).push_back(regret_note(ranking));
    if (!values.empty()) chosen.after.push_back(measuring_note(ranking, values.front()));
    for (const Crossover& crossover : ranking.crossovers)
      chosen.after.push_back(crossover_note(crossover, ranking));
    (ranking.is_priced ? chosen.after : chosen.notes).push_back(price_note(ranking));
    for (std::string& note : spot_notes(ranking)) chosen.notes.push_back(std::move(note));
  }
  if (search && ranking.is_priced) chosen.after.push_back(search_note(*search));
  std::vector<Table> tables{std::move(chosen), excluded_table(ranking), crossover_table(ranking),
                            times_by_epochs_table(ranking)};
  if (!values.empty()) tables.push_back(measuring_table(values));
  if (ranking.with_energy) tables.insert(tables.begin() + 1, energy_table(ranking));
  if (has_spot_training(ranking)) tables.insert(tables.begin() + 1, spot_table(ranking));
  for (Table& table : tables) add_first_column(table, {"ranking", ""}, which.number);
  tables.push_back(rankings_table(ranking, search, which));
  if (which.is_only) tables.push_back(best_table(ranking));
  return tables;
}

Table best_table(const Ranking& ranking) {
  const std::vector<ColumnOf<Choice>> columns = choice_columns(ranking);
  Table table = table_of("best", "", columns, std::vector<Choice>{});
  table.shape = Shape::keyed;
  table.only_json = true;
  add_first_column(table, {"by", "by"}, {});
  const auto add = [&](const char* by, auto value) {
    add_row(table, columns, *std::ranges::min_element(ranking.chosen, {}, value));
    table.rows.back().insert(table.rows.back().begin(), Cell(std::string(by)));
  };
  if (ranking.chosen.empty()) return table;
  if (ranking.is_priced) add("cost", [](const Choice& choice) { return choice.quote.total.mid; });
  add("time", [](const Choice& choice) { return choice.quote.time.mid; });
  if (ranking.by == Objective::score) add("score", &Choice::score);
  if (ranking.by == Objective::energy)
    add("energy", [](const Choice& choice) { return choice.energy->kwh.mid; });
  if (ranking.by == Objective::co2)
    add("co2", [](const Choice& choice) { return choice.energy->co2_g->mid; });
  return table;
}

}  // namespace lapcast
