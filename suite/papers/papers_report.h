#pragma once

#include <string>
#include <vector>

#include "suite/papers/measured_transfers.h"
#include "suite/papers/study.h"
#include "table/table.h"

namespace lapcast {

/// Says which part of the papers is shown.
struct ShownPapers {
  bool whole = false;  // people see every figure and pick, not only counts, slips and wrong picks
  std::string table;   // only this table of the paper; empty = all
  std::vector<MeasuredFigure> measured = {};  // when there are some, people see only these
};

/// Returns the papers' figures: how many of each paper agree, every figure as printed and as
/// recomputed, what the columns of rankings pick, and own measurements beside what is printed.
/// Throws Error (usage) that lists the tables when no figure or pick is of shown.table.
std::vector<Table> papers_tables(const std::vector<PaperStudy>& studies, const ShownPapers& shown);

}  // namespace lapcast
