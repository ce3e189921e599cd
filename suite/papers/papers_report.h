#pragma once

#include <string>
#include <vector>

#include "suite/papers/measured_transfers.h"
#include "suite/papers/study.h"
#include "table/table.h"

namespace lapcast {

/// Selects the part of the papers to show.
struct ShownPapers {
  bool whole = false;  // show people every figure and pick, not only counts, slips and wrong picks
  std::string table;   // only this table of the paper; empty = all
  std::vector<MeasuredFigure> measured = {};  // if there are any, people see only these
};

/// Returns the papers' figures: how many of each paper agree, every figure as printed and as
/// recomputed, the picks of the columns of rankings, and own measurements next to printed figures.
/// Throws Error (usage) that lists the tables if no figure or pick is in shown.table.
std::vector<Table> papers_tables(const std::vector<PaperStudy>& studies, const ShownPapers& shown);

}  // namespace lapcast
