#include "report/spot_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "core/units.h"
#include "report/cells.h"

namespace lapcast {
namespace {

/// Returns the total of the bill's lines for an item.
Money amount_for(const Choice& choice, LineItem item) {
  Money sum;
  for (const QuoteLine& line : choice.quote.lines)
    if (line.item == item) sum = saturating_sum(sum, line.amount);
  return sum;
}

/// Returns the cost of the training without interruptions and checkpoints.
std::optional<Money> undisturbed_cost(const Choice& choice) {
  const Candidate& candidate = *choice.candidate;
  const auto bill =
      quote(*choice.offer, Interval<Seconds>::exactly(candidate.time->mid), candidate.demand);
  return bill ? std::optional(bill->total.mid) : std::nullopt;
}

/// Returns the cheapest choice that cannot be interrupted; nullptr if there is none.
const Choice* cheapest_that_stays(const Ranking& ranking) {
  const Choice* best = nullptr;
  for (const Choice& choice : ranking.chosen) {
    if (std::holds_alternative<Spot>(choice.offer->terms)) continue;
    if (best == nullptr || choice.quote.total.mid < best->quote.total.mid) best = &choice;
  }
  return best;
}

/// Names the cheapest spot machine that loses to an uninterrupted one because of its interruptions.
std::optional<std::string> note_on_losses(const Ranking& ranking) {
  const Choice* const stays = cheapest_that_stays(ranking);
  if (!ranking.is_priced || stays == nullptr) return std::nullopt;
  for (const Choice& choice : ranking.chosen) {
    if (!choice.spot || choice.quote.total.mid <= stays->quote.total.mid) continue;
    const auto without = undisturbed_cost(choice);
    if (!without || *without >= stays->quote.total.mid) continue;
    return fmt::format(
        "interruptions make {} cost {} instead of {}: more than {}, which stays ({})",
        name_of(choice, ranking), dollar_text(choice.quote.total.mid), dollar_text(*without),
        name_of(*stays, ranking), dollar_text(stays->quote.total.mid));
  }
  return std::nullopt;
}

/// Returns the time between two checkpoints; an empty cell if none are saved.
Cell interval_cell(const Choice* choice) {
  return choice->spot->saves ? Cell(choice->spot->job.interval) : Cell();
}

/// Returns the chance of meeting the deadline; an empty cell if there is no deadline.
Cell in_time_cell(const Choice* choice) {
  return choice->p_late ? Cell(Chance{1 - *choice->p_late}) : Cell();
}

}  // namespace

bool has_spot_training(const Ranking& ranking) {
  return std::ranges::any_of(ranking.chosen,
                             [](const Choice& choice) { return choice.spot != nullptr; });
}

Table spot_table(const Ranking& ranking) {
  std::vector<const Choice*> rows;
  for (const Choice& choice : ranking.chosen)
    if (choice.spot) rows.push_back(&choice);
  const auto mean = [](Seconds SpotTimes::*which) {
    return [which](const Choice* row) { return row->spot->forecast.mean.*which; };
  };
  const bool priced = ranking.is_priced;
  const auto number = [](double SpotForecast::*which) {
    return [which](const Choice* row) { return Number{row->spot->forecast.*which, 1}; };
  };
  const auto cost_of_saves = [priced](const Choice* row) {
    return priced ? Cell(amount_for(*row, LineItem::checkpoints)) : Cell();
  };
  const auto without = [priced](const Choice* row) {
    return priced ? cell_of(undisturbed_cost(*row)) : Cell();
  };
  Table table = table_of<const Choice*>(
      "spot_trainings", "On spot machines, on average",
      {{"rank", "#", [&](const Choice* row) { return row - ranking.chosen.data() + 1; }},
       {"machine_type", "machine", [](const Choice* row) { return row->candidate->machine_type; }},
       {"settings", "settings",
        [](const Choice* row) { return Settings{row->candidate->settings}; }, kOptional},
       {"offer", "offer", [](const Choice* row) { return offer_cell(*row->offer); }, kOptional},
       {"interruptions", "interruptions", number(&SpotForecast::interruptions)},
       {"between_interruptions_s", "one every",
        [](const Choice* row) { return row->spot->between_interruptions; }, spare(3)},
       {"checkpoint_interval_s", "save every", interval_cell, kOptional},
       {"checkpoints_s", "checkpoints", mean(&SpotTimes::checkpoints)},
       {"checkpoints_usd", "they cost", cost_of_saves, kOptional | spare(1)},
       {"lost_work_s", "lost work", mean(&SpotTimes::lost_work)},
       {"restarts_s", "restarts", mean(&SpotTimes::restarts)},
       {"waiting_s", "waiting", mean(&SpotTimes::waiting), spare(2)},
       {"undisturbed_cost_usd", "cost without", without, kOptional | spare(4)},
       {"p_in_time", "P(in time)", in_time_cell, kOptional}},
      rows);
  table.after.push_back(
      "save every: work between two checkpoints; the ranking counts all of this, and `--bill` "
      "shows it line by line");
  return table;
}

std::vector<std::string> spot_notes(const Ranking& ranking) {
  std::vector<std::string> notes;
  for (const Reason& unknown : ranking.spot_unknown)
    notes.push_back("prices of spot machines count no interruption: " + unknown.text);
  if (!has_spot_training(ranking)) return notes;
  if (ranking.spot.trace.empty() && !ranking.spot.wait)
    notes.push_back(
        "no wait for the next spot machine is counted (--spot-wait TIME or --spot-trace FILE)");
  if (auto losses = note_on_losses(ranking)) notes.push_back(*std::move(losses));
  return notes;
}

}  // namespace lapcast
