#include "suite/papers/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include "core/units.h"
#include "rank/strategies.h"

namespace lapcast {
namespace {

struct NamedStudy {
  std::string_view name;
  PaperStudy (*make)();
};
constexpr std::array kStudies{NamedStudy{"carneiro", carneiro_study},
                              NamedStudy{"kunas", kunas_study}, NamedStudy{"malta", malta_study},
                              NamedStudy{"review", review_study},
                              NamedStudy{"lawrence", lawrence_study}};

/// Returns whether two intervals overlap, apart from the rounding of doubles.
bool meet(const Interval<double>& a, const Interval<double>& b) {
  const double slack = 1e-9 * (1 + std::abs(a.mid));
  return a.low <= b.high + slack && b.low <= a.high + slack;
}

/// Moves the cells of each table directly behind its first one.
void group_by_table(std::vector<PaperCell>& cells) {
  std::vector<std::string> tables;
  for (const PaperCell& cell : cells)
    if (std::ranges::find(tables, cell.table) == tables.end()) tables.push_back(cell.table);
  std::ranges::stable_sort(cells, {}, [&](const PaperCell& cell) {
    return std::ranges::find(tables, cell.table) - tables.begin();
  });
}

}  // namespace

std::string_view to_string(CellVerdict verdict) {
  constexpr std::string_view kNames[] = {"agrees", "slip", "off", "derived"};
  return kNames[static_cast<std::size_t>(verdict)];
}

CellVerdict verdict_of(const PaperCell& cell) {
  if (!cell.printed) return CellVerdict::derived;
  if (meet(cell.recomputed, cell.printed->value))
    return cell.reason.empty() ? CellVerdict::agrees : CellVerdict::off;
  return cell.reason.empty() ? CellVerdict::off : CellVerdict::slip;
}

void choose_pick(PaperPick& pick, const std::vector<MachineValue>& column) {
  std::vector<std::optional<double>> values;
  std::vector<std::optional<double>> real;
  for (const MachineValue& machine : column) {
    values.emplace_back(machine.value);
    real.emplace_back(machine.real);
  }
  const auto picked = pick_of_column(values, real);
  if (!picked) throw Error(ExitCode::bad_input, "a paper's column has no machine");
  if (!picked->most) throw Error(ExitCode::bad_input, picked->most.error().text);
  for (const std::size_t row : picked->rows) pick.picks.push_back(column[row].machine_type);
  pick.best = column[picked->most->best].machine_type;
  pick.least_regret = picked->least->relative;
  pick.regret = picked->most->relative;
}

bool is_off(const PaperStudy& study) {
  return !study.stale_slips.empty() || std::ranges::any_of(study.cells, [](const auto& cell) {
    return verdict_of(cell) == CellVerdict::off;
  });
}

const PaperRow* PaperFacts::find_row(std::string_view row, std::string_view quantity) const {
  const auto found = std::ranges::find_if(rows_, [&](const PaperRow& fact) {
    return fact.text("row") == row && fact.text("quantity") == quantity;
  });
  return found == rows_.end() ? nullptr : &*found;
}

const PaperRow& PaperFacts::find(std::string_view row, std::string_view quantity) const {
  if (const PaperRow* found = find_row(row, quantity)) return *found;
  throw Error(ExitCode::bad_input,
              fmt::format("the paper's figures lack the {} of {}", quantity, row));
}

std::optional<Printed> PaperFacts::find_if(std::string_view row, std::string_view quantity) const {
  const PaperRow* found = find_row(row, quantity);
  return found == nullptr ? std::nullopt : std::optional(found->number("printed"));
}

Printed PaperFacts::operator()(std::string_view row, std::string_view quantity) const {
  return find(row, quantity).number("printed");
}

PaperCell PaperFacts::cell(std::string_view row, std::string_view quantity,
                           const Interval<double>& recomputed) const {
  const PaperRow& fact = find(row, quantity);
  return {.table = fact.text("table"),
          .place = fact.text("place"),
          .row = fact.text("row"),
          .quantity = fact.text("quantity"),
          .unit = fact.text("unit"),
          .printed = fact.number("printed"),
          .recomputed = recomputed};
}

std::vector<std::string> paper_names() {
  std::vector<std::string> names;
  for (const NamedStudy& study : kStudies) names.emplace_back(study.name);
  return names;
}

PaperStudy study_named(std::string_view name) {
  const auto* found = std::ranges::find(kStudies, name, &NamedStudy::name);
  if (found == kStudies.end())
    throw Error(ExitCode::usage, fmt::format("there is no paper '{}'; choose one of {}",
                                             printable(name, 40), fmt::join(paper_names(), ", ")));
  PaperStudy study = found->make();
  group_by_table(study.cells);
  mark_slips(study, slips_csv());
  return study;
}

void mark_slips(PaperStudy& study, std::string_view slips) {
  for (const PaperRow& slip : paper_rows(slips)) {
    if (slip.text("paper") != study.name) continue;
    const auto cell = std::ranges::find_if(study.cells, [&](const PaperCell& any) {
      return any.printed && any.table == slip.text("table") && any.row == slip.text("row") &&
             any.quantity == slip.text("quantity");
    });
    if (cell == study.cells.end())
      study.stale_slips.push_back(fmt::format("table {}, {}, {}", slip.text("table"),
                                              slip.text("row"), slip.text("quantity")));
    else
      cell->reason = slip.text("reason");
  }
}

}  // namespace lapcast
