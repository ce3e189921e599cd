#include "report/explanation_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/units.h"
#include "rank/deadline_costs.h"
#include "rank/explanation.h"
#include "report/cells.h"

namespace lapcast {
namespace {

double dollars_of(const Choice& choice) {
  return choice.quote.total.mid.dollars();
}

/// Returns "21 % less than"; `ratio` is the smaller value over the larger.
std::string less(double ratio) {
  return ratio > 0.99 ? "nearly as much as" : format_share(1 - ratio) + " less than";
}

/// Returns "21 % less than now".
std::string change(double needed, double now) {
  return format_share(1 - needed / now) + " less than now";
}

/// Explains the difference in cost of two choices by their prices per hour and their times.
std::string why_cheaper(const Ranking& ranking) {
  const Choice& first = ranking.chosen[0];
  const Choice& second = ranking.chosen[1];
  const double price = second.offer->price.per_hour.dollars();
  std::string text =
      fmt::format("{} costs {}, {} {} ({})", name_of(first, ranking),
                  dollar_text(first.quote.total.mid), less(dollars_of(first) / dollars_of(second)),
                  name_of(second, ranking), dollar_text(second.quote.total.mid));
  if (price <= 0) return text;
  return text + fmt::format(": an hour of it costs {} times as much, and it takes {} times as long",
                            format_number(first.offer->price.per_hour.dollars() / price),
                            format_number(first.quote.time.mid / second.quote.time.mid));
}

std::string why_faster(const Ranking& ranking) {
  const Choice& first = ranking.chosen[0];
  const Choice& second = ranking.chosen[1];
  return fmt::format("{} takes {}, {} {} ({})", name_of(first, ranking),
                     format_duration(first.quote.time.mid),
                     less(first.quote.time.mid / second.quote.time.mid), name_of(second, ranking),
                     format_duration(second.quote.time.mid));
}

/// Returns the share of its hours in which a reserved or owned machine is used.
std::optional<double> utilisation_of(const Offer& offer) {
  if (const auto* terms = std::get_if<Reserved>(&offer.terms)) return terms->utilisation;
  if (const auto* terms = std::get_if<Owned>(&offer.terms)) return terms->utilisation;
  return std::nullopt;
}

std::string what_is_needed(const Needs& needs, const Ranking& ranking) {
  const Choice& choice = *needs.choice;
  std::vector<std::string> ways;
  if (needs.price)
    ways.push_back(
        fmt::format("an hour cost at most {} ({})", dollar_text(*needs.price),
                    change(needs.price->dollars(), choice.offer->price.per_hour.dollars())));
  if (needs.training)
    ways.push_back(fmt::format("its training took at most {} ({})",
                               format_duration(*needs.training),
                               change(*needs.training / choice.candidate->time->mid, 1)));
  if (needs.epochs)
    ways.push_back(fmt::format("it needed at most {} epochs instead of {:.0f}", *needs.epochs,
                               choice.candidate->epochs));
  if (needs.between_interruptions)
    ways.push_back(fmt::format("its machines lasted at least {} on average (now {})",
                               format_duration(*needs.between_interruptions),
                               format_duration(choice.spot->between_interruptions)));
  if (needs.utilisation)
    ways.push_back(fmt::format("it was used for at least {} of its hours, {:.0f} a month (now {})",
                               format_share(*needs.utilisation), *needs.utilisation * 730,
                               format_share(*utilisation_of(*choice.offer))));
  const char* const best = ranking.by == Objective::cost ? "cheapest" : "fastest";
  if (ways.empty())
    return fmt::format("nothing that is changed alone makes {} the {}", name_of(choice, ranking),
                       best);
  return fmt::format("{} would be the {} if {}", name_of(choice, ranking), best,
                     fmt::join(ways, ", or "));
}

std::vector<std::string> sentences(const Ranking& ranking, const std::vector<Needs>& needs) {
  if (ranking.chosen.empty()) return {"no candidate can be ranked"};
  if (ranking.by == Objective::score)
    return {
        "a ranking by score is not explained: any change changes all scores; --by cost or "
        "--by time is"};
  if (is_by_energy(ranking.by))
    return {"a ranking by energy or CO2 is not explained; --by cost or --by time is"};
  if (needs.empty()) return {"it is the only candidate"};
  return {(ranking.by == Objective::cost ? why_cheaper : why_faster)(ranking),
          what_is_needed(needs.front(), ranking)};
}

/// Holds a line of a bill with the choice that it belongs to.
struct BillRow {
  std::size_t rank;
  const Choice* choice;
  QuoteLine line;
};

}  // namespace

Table explanation_table(const Ranking& ranking) {
  const std::vector<Needs> needs = needs_of(ranking);
  const bool by_cost = ranking.by == Objective::cost;
  Table table = table_of<Needs>(
      "explanation", "What others would need to be first, one thing at a time",
      {{"rank", "#", [&](auto& row) { return row.choice - ranking.chosen.data() + 1; }},
       {"machine_type", "machine", [](auto& row) { return row.choice->candidate->machine_type; }},
       {"settings", "settings", [](auto& row) { return Settings{row.choice->candidate->settings}; },
        kOptional},
       {"offer", "offer", [](auto& row) { return offer_cell(*row.choice->offer); }, kOptional},
       {"price_usd_per_hour", "price",
        [=](auto& row) { return by_cost ? Cell(row.choice->offer->price.per_hour) : Cell(); },
        kOptional},
       {"needed_price_usd_per_hour", "at most", [](auto& row) { return row.price; }, kOptional},
       {"training_s", "training", [](auto& row) { return row.choice->candidate->time->mid; }},
       {"needed_training_s", "at most", [](auto& row) { return row.training; }},
       {"epochs", "epochs",
        [](auto& row) {
          const double epochs = row.choice->candidate->epochs;
          return epochs > 0 ? Cell(static_cast<std::int64_t>(epochs)) : Cell();
        },
        kOptional},
       {"needed_epochs", "at most", [](auto& row) { return row.epochs; }, kOptional},
       {"between_interruptions_s", "interrupted every",
        [](auto& row) { return cell_if(row.choice->spot, &SpotTraining::between_interruptions); },
        kOptional},
       {"needed_between_interruptions_s", "at least",
        [](auto& row) { return row.between_interruptions; }, kOptional},
       {"utilisation", "used",
        [=](auto& row) {
          return by_cost ? share_cell(utilisation_of(*row.choice->offer)) : Cell();
        },
        kOptional},
       {"needed_utilisation", "at least", [](auto& row) { return share_cell(row.utilisation); },
        kOptional}},
      needs);
  table.before = sentences(ranking, needs);
  return table;
}

Table bill_table(const Ranking& ranking) {
  std::vector<BillRow> rows;
  for (std::size_t i = 0; ranking.is_priced && i < ranking.chosen.size(); ++i)
    for (const QuoteLine& line : ranking.chosen[i].quote.lines)
      rows.push_back({i + 1, &ranking.chosen[i], line});
  Table table = table_of<BillRow>(
      "bills", "Bills",
      {{"rank", "#", [](auto& row) { return row.rank; }},
       {"machine_type", "machine", [](auto& row) { return row.choice->candidate->machine_type; }},
       {"settings", "settings", [](auto& row) { return Settings{row.choice->candidate->settings}; },
        kOptional},
       {"offer", "offer", [](auto& row) { return offer_cell(*row.choice->offer); }, kOptional},
       {"what", "for", [](auto& row) { return to_string(row.line.item); }},
       {"billed_s", "billed",
        [](auto& row) { return time_or_nothing(from_ns(row.line.billed_ns)); }},
       {"amount_usd", "cost", [](auto& row) { return row.line.amount; }}},
      rows);
  if (rows.empty()) table.before = {"no prices are known, so that there is no bill"};
  return table;
}

Table deadline_table(const Ranking& ranking, const Preferences& preferences) {
  const auto of = [](auto value) {
    return [value](const DeadlineCost& row) { return cell_of(value(*row.choice)); };
  };
  const auto risk = preferences.risk ? Cell(Percentage{*preferences.risk}) : Cell();
  Table table = table_of<DeadlineCost>(
      "deadline_costs", "",
      {{"terms", "terms", of([](auto& c) { return std::string(name_of(c.offer->terms)); })},
       {"machine_type", "machine", of([](auto& c) { return c.candidate->machine_type; })},
       {"settings", "settings", of([](auto& c) { return Settings{c.candidate->settings}; })},
       {"offer", "offer", of([](auto& c) { return offer_cell(*c.offer); })},
       {"deadline_s", "from", [](auto& row) { return row.deadline; }},
       {"cost_usd", "cost", of([](auto& c) { return c.quote.total.mid; })},
       {"risk", "risk", [risk](auto&) { return risk; }},
       {"wanted_s", "wanted", [&](auto&) { return preferences.deadline; }}},
      deadline_costs(ranking, preferences.risk));
  table.only_json = true;
  return table;
}

}  // namespace lapcast
