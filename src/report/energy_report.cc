#include "report/energy_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/cells.h"

namespace lapcast {
namespace {

/// Returns a grid factor with its source: "370 g per kWh (Google, 2026)".
std::string grid_text(const GridFactor& grid) {
  const std::string year = grid.year > 0 ? fmt::format(", {}", grid.year) : "";
  return fmt::format("{:.4g} g per kWh ({}{})", grid.grams_per_kwh.mid, grid.source, year);
}

Cell known_number(const std::optional<double>& number, int digits) {
  return number ? Cell(Number{*number, digits}) : Cell();
}

std::vector<std::string> energy_notes(const std::vector<const Choice*>& known) {
  std::vector<std::string> notes;
  std::set<std::string> factors, bases;
  bool any_predicted = false;
  for (const Choice* choice : known) {
    any_predicted = any_predicted || choice->energy->source == EnergySource::predicted;
    if (!choice->energy->basis.empty()) bases.insert(choice->energy->basis);
    if (choice->energy->grid) factors.insert(grid_text(*choice->energy->grid));
  }
  if (any_predicted)
    notes.push_back(
        "predicted energy is from tables of rated power, which are far off: see the intervals");
  for (const std::string& basis : bases)
    notes.push_back(fmt::format("energy by counters: {}", basis));
  if (!factors.empty()) notes.push_back(fmt::format("CO2: {}", fmt::join(factors, "; ")));
  return notes;
}

std::vector<ColumnOf<const Choice*>> energy_columns(const Ranking& ranking) {
  const auto of = [](auto value) {
    return [value](const Choice* choice) { return cell_of(value(*choice)); };
  };
  const auto of_grid = [](auto value) {
    return [value](const Choice* choice) { return cell_if(choice->energy->grid, value); };
  };
  const bool priced = ranking.is_priced;
  const auto rank = [&ranking](const Choice* choice) {
    return cell_of(choice - ranking.chosen.data() + 1);
  };
  return {
      {"rank", "#", rank},
      {"machine_type", "machine", of([](auto& c) { return c.candidate->machine_type; })},
      {"settings", "settings", of([](auto& c) { return Settings{c.candidate->settings}; }),
       kOptional},
      {"offer", "offer", of([](auto& c) { return offer_cell(*c.offer); }), kOptional},
      {"time_s", "time", of([](auto& c) { return c.quote.time.mid; })},
      {"cost_usd", "cost",
       of([priced](auto& c) { return priced ? Cell(c.quote.total.mid) : Cell(); }), kOptional},
      {"energy_kwh", "kWh", of([](auto& c) { return c.energy->kwh; }), kBounds},
      {"co2e_g", "gCO2e", of([](auto& c) { return c.energy->co2_g; }), kBounds | kOptional},
      {"start_up_kwh", "start-up kWh",
       of([](auto& c) { return known_number(c.energy->start_up_kwh, -1); }), kOptional | spare(1)},
      {"start_up_w", "start-up W",
       of([](auto& c) { return known_number(c.energy->start_up_watts, 0); }), kOptional | spare(2)},
      {"training_w", "training W",
       of([](auto& c) { return known_number(c.energy->training_watts, 0); }), kOptional | spare(2)},
      {"idle_gpu_w", "idle GPU W",
       of([](auto& c) { return known_number(c.energy->idle_gpu_watts, 0); }), kOptional | spare(3)},
      {"energy_source", "energy by", of([](auto& c) { return to_string(c.energy->source); })},
      {"grid_g_per_kwh", "", of_grid([](auto& grid) {
         return Number{grid.grams_per_kwh.mid, 0};
       })},
      {"grid_source", "", of_grid([](auto& grid) { return std::string(grid.source); })},
      {"grid_year", "",
       of_grid([](auto& grid) { return grid.year > 0 ? Cell(std::int64_t{grid.year}) : Cell(); })},
      {"pareto", "Pareto", of([](auto& c) { return Mark{c.on_energy_front}; })}};
}

}  // namespace

Table energy_table(const Ranking& ranking) {
  std::vector<const Choice*> known;
  for (const Choice& choice : ranking.chosen)
    if (choice.energy) known.push_back(&choice);
  Table table =
      table_of<const Choice*>("energy", "Time x money x energy", energy_columns(ranking), known);
  table.after = energy_notes(known);
  if (known.empty())
    table.notes.push_back("no energy is known: nothing was measured, and no table has the parts");
  return table;
}

}  // namespace lapcast
