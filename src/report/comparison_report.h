#pragma once

#include <string>
#include <vector>

#include "choose/comparison.h"
#include "report/table.h"

namespace lapcast {

/// Holds one side of a comparison: what the user called it, and the values of its runs.
struct ComparedSet {
  std::string name;
  std::vector<std::string> about;  // candidates in it: "mnist-mlp this-machine batch=128"
  RunValues values;
};

/// Returns a table of both sets and one of what their comparison says. Values that were left out
/// become notes.
std::vector<Table> comparison_tables(const ComparedSet& a, const ComparedSet& b,
                                     const RunMetric& metric, const Comparison& comparison);

}  // namespace lapcast
