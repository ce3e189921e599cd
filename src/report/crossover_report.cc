#include "report/crossover_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>

#include "report/cells.h"
#include "report/spot_report.h"

namespace lapcast {

std::string crossover_note(const Crossover& crossover, const Ranking& ranking) {
  const auto name = [&](const auto& candidate, const auto& offer) {
    return candidate ? name_of(*candidate, *offer, ranking) : "none is within the limits";
  };
  return fmt::format("from {:.0f} epochs on {}{}{}, below it {}", crossover.epochs,
                     name(crossover.after, crossover.offer_after), crossover.after ? " wins" : "",
                     has_spot_training(ranking) ? " of the machines that stay" : "",
                     name(crossover.before, crossover.offer_before));
}

Table crossover_table(const Ranking& ranking) {
  const auto of = [](auto which, auto value) {
    return [=](const Crossover& row) { return cell_if(row.*which, value); };
  };
  const auto machine = [](const Candidate& candidate) { return candidate.machine_type; };
  const auto settings = [](const Candidate& candidate) { return Settings{candidate.settings}; };
  Table table =
      table_of<Crossover>("crossovers", "",
                          {{"epochs", "epochs",
                            [](auto& row) {
                              return Number{row.epochs, 0};
                            }},
                           {"machine_type_below", "below", of(&Crossover::before, machine)},
                           {"settings_below", "settings", of(&Crossover::before, settings)},
                           {"offer_below", "offer", of(&Crossover::offer_before, offer_cell)},
                           {"machine_type_from", "from", of(&Crossover::after, machine)},
                           {"settings_from", "settings", of(&Crossover::after, settings)},
                           {"offer_from", "offer", of(&Crossover::offer_after, offer_cell)}},
                          ranking.crossovers);
  table.only_json = true;
  return table;
}

Table times_by_epochs_table(const Ranking& ranking) {
  struct Point {
    const Choice* choice;
    double epochs;
  };
  std::vector<Point> points;
  for (const Choice& choice : ranking.chosen) {
    const Candidate& candidate = *choice.candidate;
    if (choice.spot || !candidate.time_by_epochs || !(candidate.epochs > 0)) continue;
    for (const double share : {0.0, 0.25, 0.5, 1.0, 1.5, 2.0})
      points.push_back({&choice, std::max(1.0, std::round(share * candidate.epochs))});
  }
  const auto of = [](auto value) {
    return [value](const Point& point) { return value(*point.choice); };
  };
  const auto time = [](const Point& point) {
    const Candidate& candidate = *point.choice->candidate;
    // The time before and after the training does not depend on its epochs.
    const Seconds around = point.choice->quote.time.mid - candidate.time->mid;
    return cell_of(candidate.time_by_epochs(point.epochs) + around);
  };
  Table table = table_of<Point>(
      "times_by_epochs", "",
      {{"machine_type", "", of([](auto& c) { return Cell(c.candidate->machine_type); })},
       {"settings", "", of([](auto& c) { return Cell(Settings{c.candidate->settings}); })},
       {"offer", "", of([](auto& c) { return offer_cell(*c.offer); })},
       {"run", "", of([](auto& c) { return Cell(c.candidate->run_id); })},
       {"epochs", "",
        [](auto& point) {
          return Cell(Number{point.epochs, 0});
        }},
       {"time_s", "", time}},
      points);
  table.only_json = true;
  return table;
}

Table relative_table(const std::vector<const Ranking*>& rankings,
                     const std::vector<std::int64_t>& epochs) {
  using Row = std::vector<const Choice*>;  // by ranking; nullptr if the choice is not in it
  std::vector<Row> rows;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, std::size_t>
      known;
  for (std::size_t i = 0; i < rankings.size(); ++i)
    for (const Choice& choice : rankings[i]->chosen) {
      const Candidate& candidate = *choice.candidate;
      const auto [entry, is_new] =
          known.try_emplace({candidate.run_id, candidate.machine_type, candidate.settings,
                             choice.offer->name, choice.offer->source},
                            rows.size());
      if (is_new) rows.emplace_back(rankings.size());
      rows[entry->second][i] = &choice;
    }
  const auto of = [](auto value) {
    return [value](const Row& row) {
      return value(**std::ranges::find_if(row, [](const Choice* each) { return each != nullptr; }));
    };
  };
  std::vector<ColumnOf<Row>> columns{
      {"machine_type", "machine", of([](auto& c) { return Cell(c.candidate->machine_type); })},
      {"settings", "settings", of([](auto& c) { return Cell(Settings{c.candidate->settings}); }),
       kOptional},
      {"offer", "offer", of([](auto& c) { return offer_cell(*c.offer); }), kOptional}};
  const auto add = [&](const char* what, double Choice::*ratio) {
    for (std::size_t i = 0; i < epochs.size(); ++i)
      columns.push_back({fmt::format("relative_{}_{}_epochs", what, epochs[i]),
                         fmt::format("{}@{}", what, epochs[i]),
                         [i, ratio](const Row& row) {
                           return row[i] != nullptr ? Cell(Number{row[i]->*ratio, 2}) : Cell();
                         },
                         spare(1)});
  };
  add("time", &Choice::relative_time);
  add("cost", &Choice::relative_cost);
  return table_of("relative", "Relative to the best of each column [Malta]", columns, rows);
}

}  // namespace lapcast
