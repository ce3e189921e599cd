#include "suite/papers/papers_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr const char* kSystems = "systems";  // the table of a paper's systems

struct CellRow {
  std::string paper;
  const PaperCell* cell;
};
struct PickRow {
  std::string paper;
  const PaperPick* pick;
};

std::size_t cells_with(const PaperStudy& study, CellVerdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(study.cells, verdict, verdict_of));
}

Table count_table(const std::vector<PaperStudy>& studies) {
  using Row = PaperStudy;
  const auto counts = [](CellVerdict verdict) {
    return [verdict](const Row& study) { return cells_with(study, verdict); };
  };
  Table table = table_of<Row>(
      "papers", "The papers, computed again",
      {{"paper", "paper", &Row::name},
       {"title", "", &Row::title},
       {"agree", "agree", counts(CellVerdict::agrees)},
       {"slips", "slips", counts(CellVerdict::slip)},
       {"off", "off",
        [&](const Row& study) {
          return cells_with(study, CellVerdict::off) + study.stale_slips.size();
        }},
       {"derived", "derived", counts(CellVerdict::derived), spare(2)},
       {"picks", "picks", [](const Row& study) { return study.picks.size(); }},
       {"wrong_picks", "wrong",
        [](const Row& study) { return std::ranges::count_if(study.picks, &PaperPick::is_wrong); }},
       {"undecided_picks", "undecided",
        [](const Row& study) {
          return std::ranges::count_if(study.picks, [](const PaperPick& pick) {
            return !pick.is_right() && !pick.is_wrong();
          });
        },
        spare(1)}},
      studies);
  table.after.push_back(
      "agree: within the digits printed; slip: it does not follow, and why is known; off: nobody "
      "knows why; derived: not printed");
  for (const PaperStudy& study : studies) {
    for (const std::string& slip : study.stale_slips)
      table.notes.push_back(
          fmt::format("{}: a slip is listed that no figure shows: {}", study.name, slip));
    for (const std::string& note : study.notes)
      table.notes.push_back(fmt::format("{}: {}", study.name, note));
  }
  return table;
}

/// Returns the recomputed value with one decimal more than the printed one, unless it is whole.
Number recomputed_number(const PaperCell& cell) {
  const double value = cell.recomputed.mid;
  if (!cell.printed) return {value, -1};
  return {value, cell.printed->decimals + (value == std::round(value) ? 0 : 1)};
}

Cell printed_cell(const std::optional<Printed>& printed) {
  return cell_if(printed, [](const Printed& p) { return Number{p.value.mid, p.decimals}; });
}

Table cell_table(const std::vector<CellRow>& rows) {
  const auto number = [](auto&& of) {
    return [of](const CellRow& row) { return Number{of(row), -1}; };
  };
  return table_of<CellRow>(
      "paper_cells", "Figures: as printed, and as they follow from the other figures",
      {{"paper", "", [](auto& r) { return r.paper; }},
       {"table", "table", [](auto& r) { return r.cell->table; }},
       {"place", "", [](auto& r) { return r.cell->place; }},
       {"row", "row", [](auto& r) { return r.cell->row; }},
       {"quantity", "figure", [](auto& r) { return r.cell->quantity; }},
       {"printed", "printed", [](auto& r) { return printed_cell(r.cell->printed); }},
       {"recomputed", "recomputed", [](auto& r) { return recomputed_number(*r.cell); }},
       {"recomputed_low", "", number([](auto& r) { return r.cell->recomputed.low; })},
       {"recomputed_high", "", number([](auto& r) { return r.cell->recomputed.high; })},
       {"unit", "unit", [](auto& r) { return r.cell->unit; }, spare(1)},
       {"verdict", "", [](auto& r) { return to_string(verdict_of(*r.cell)); }},
       {"reason", "", [](auto& r) { return text_cell(r.cell->reason); }},
       {"", "verdict",
        [](auto& r) {
          const std::string verdict(to_string(verdict_of(*r.cell)));
          return r.cell->reason.empty() ? verdict : verdict + ": " + r.cell->reason;
        }}},
      rows);
}

Table pick_table(std::string name, std::string title, const std::vector<PickRow>& rows) {
  return table_of<PickRow>(
      std::move(name), std::move(title),
      {{"paper", "", [](auto& r) { return r.paper; }},
       {"table", "table", [](auto& r) { return r.pick->table; }},
       {"place", "", [](auto& r) { return r.pick->place; }},
       {"setting", "setting", [](auto& r) { return r.pick->setting; }},
       {"objective", "by", [](auto& r) { return r.pick->objective; }},
       {"strategy", "column", [](auto& r) { return r.pick->strategy; }},
       {"pick", "pick",
        [](auto& r) { return fmt::format("{}", fmt::join(r.pick->picks, " or ")); }},
       {"best", "really best", [](auto& r) { return r.pick->best; }},
       {"is_right", "right", [](auto& r) { return r.pick->is_right(); }},
       {"is_wrong", "", [](auto& r) { return r.pick->is_wrong(); }},
       {"regret", "regret", [](auto& r) { return Percentage{r.pick->regret}; }}},
      rows);
}

struct SystemRow {
  std::string paper;
  const PaperSystem* system;
};

Cell minutes_of_an_epoch(const SystemRow& row) {
  constexpr double kEpochs = 20;
  return cell_if(row.system->minutes, [](const Printed& p) {
    return Number{p.value.mid / kEpochs, -1};
  });
}

Cell measured_over_expected(const SystemRow& row) {
  const PaperSystem& system = *row.system;
  return cell_if(system.linear_expectation, [&](const Interval<double>& expected) {
    return Number{system.minutes->value.mid / expected.mid, -1};
  });
}

/// Returns the systems of the papers that list some.
Table system_table(const std::vector<PaperStudy>& studies) {
  using Row = SystemRow;
  std::vector<Row> rows;
  for (const PaperStudy& study : studies)
    for (const PaperSystem& system : study.systems) rows.push_back({study.name, &system});
  const auto printed = [](std::optional<Printed> PaperSystem::*member) {
    return [member](const Row& row) { return printed_cell(row.system->*member); };
  };
  const auto derived = [](std::optional<Interval<double>> PaperSystem::*member) {
    return [member](const Row& row) {
      return cell_if(row.system->*member, [](const Interval<double>& value) {
        return Number{value.mid, -1};
      });
    };
  };
  return table_of<Row>(
      "paper_systems", "Systems: minutes for 20 epochs, and what cores x clock let expect",
      {{"paper", "", [](auto& r) { return r.paper; }},
       {"place", "", [](auto& r) { return r.system->place; }},
       {"system", "system", [](auto& r) { return r.system->name; }},
       {"processor", "processor", [](auto& r) { return text_cell(r.system->processor); }, spare(1)},
       {"cores", "cores", printed(&PaperSystem::cores)},
       {"clock_ghz", "GHz", printed(&PaperSystem::clock)},
       {"gpu", "GPU", [](auto& r) { return text_cell(r.system->gpu); }},
       {"gpus", "GPUs", printed(&PaperSystem::gpus)},
       {"minutes", "minutes", printed(&PaperSystem::minutes)},
       {"minutes_of_an_epoch", "an epoch", minutes_of_an_epoch},
       {"speed_up", "speed-up", derived(&PaperSystem::speed_up)},
       {"linear_expectation_minutes", "expected", derived(&PaperSystem::linear_expectation)},
       {"measured_over_expected", "measured / expected", measured_over_expected},
       {"figure", "figure", [](auto& r) { return r.system->figure; }}},
      rows);
}

/// Returns own measurements next to the printed figures.
Table measured_table(const std::vector<MeasuredFigure>& figures) {
  using Row = MeasuredFigure;
  return table_of<Row>(
      "measured_figures", "Measured here, beside what the paper prints",
      {{"table", "table", &Row::table},
       {"row", "row", &Row::row},
       {"quantity", "figure", &Row::quantity},
       {"printed", "printed", [](const Row& row) { return printed_cell(row.printed); }},
       {"measured", "measured", &Row::measured, kBounds},
       {"unit", "unit", &Row::unit},
       {"transfers", "transfers", &Row::transfers}},
      figures);
}

/// Holds the slips of a table that have the same reason.
struct SlipGroup {
  CellRow first;
  std::size_t cells = 0;
};

/// Returns the slips and wrong figures for people; figures of a table with the same reason are one
/// row, with the first of them as the example.
Table slip_table(const std::vector<CellRow>& rows) {
  std::vector<SlipGroup> groups;
  for (const CellRow& row : rows) {
    const CellVerdict verdict = verdict_of(*row.cell);
    if (verdict != CellVerdict::slip && verdict != CellVerdict::off) continue;
    const auto group = std::ranges::find_if(groups, [&](const SlipGroup& known) {
      return known.first.paper == row.paper && known.first.cell->table == row.cell->table &&
             known.first.cell->reason == row.cell->reason && verdict != CellVerdict::off;
    });
    if (group == groups.end())
      groups.push_back({row, 1});
    else
      ++group->cells;
  }
  return table_of<SlipGroup>(
      "", "Slips",
      {{"", "paper", [](auto& g) { return g.first.paper; }},
       {"", "table", [](auto& g) { return g.first.cell->table; }},
       {"", "figures", &SlipGroup::cells, spare(1)},
       {"", "such as", [](auto& g) { return g.first.cell->row + ", " + g.first.cell->quantity; }},
       {"", "printed", [](auto& g) { return printed_cell(g.first.cell->printed); }},
       {"", "recomputed", [](auto& g) { return recomputed_number(*g.first.cell); }},
       {"", "why",
        [](auto& g) {
          return g.first.cell->reason.empty() ? std::string("off: nobody knows why")
                                              : g.first.cell->reason;
        }}},
      groups);
}

template <class Row, class Item>
std::vector<Row> rows_of(const std::vector<PaperStudy>& studies,
                         const std::vector<Item> PaperStudy::*items, const std::string& table) {
  std::vector<Row> rows;
  for (const PaperStudy& study : studies)
    for (const Item& item : study.*items)
      if (table.empty() || item.table == table) rows.push_back({study.name, &item});
  return rows;
}

/// Throws Error (usage) that lists the tables of the papers.
[[noreturn]] void refuse_table(const std::vector<PaperStudy>& studies, const std::string& table) {
  std::vector<std::string> known;
  for (const CellRow& row : rows_of<CellRow>(studies, &PaperStudy::cells, ""))
    if (std::ranges::find(known, row.cell->table) == known.end()) known.push_back(row.cell->table);
  if (!system_table(studies).rows.empty()) known.emplace_back(kSystems);
  throw Error(ExitCode::usage, fmt::format("no table '{}' is computed again; choose one of {}",
                                           printable(table, 40), fmt::join(known, ", ")));
}

}  // namespace

std::vector<Table> papers_tables(const std::vector<PaperStudy>& studies, const ShownPapers& shown) {
  const auto cells = rows_of<CellRow>(studies, &PaperStudy::cells, shown.table);
  auto picks = rows_of<PickRow>(studies, &PaperStudy::picks, shown.table);
  Table systems = system_table(
      shown.table.empty() || shown.table == kSystems ? studies : std::vector<PaperStudy>{});
  if (cells.empty() && picks.empty() && systems.rows.empty()) refuse_table(studies, shown.table);
  std::vector<Table> tables{count_table(studies), cell_table(cells),
                            pick_table("paper_picks", "What the columns pick", picks),
                            std::move(systems)};
  auto measured = shown.measured;
  std::erase_if(measured, [&](const MeasuredFigure& figure) {
    return !shown.table.empty() && figure.table != shown.table;
  });
  if (!measured.empty()) tables.push_back(measured_table(measured));
  if (shown.whole) {
    for (Table& table : tables)
      table.only_json =
          table.rows.empty() || (!measured.empty() && table.name != "measured_figures");
    return tables;
  }
  tables[1].only_json = tables[2].only_json = tables[3].only_json = true;
  tables.push_back(slip_table(cells));
  std::erase_if(picks, [](const PickRow& row) { return row.pick->is_right(); });
  tables.push_back(
      pick_table("", "Columns that do not pick the machine that is really best", picks));
  return tables;
}

}  // namespace lapcast
