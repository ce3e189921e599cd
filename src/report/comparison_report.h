#pragma once

#include <string>
#include <vector>

#include "choose/comparison.h"
#include "choose/run_metric.h"
#include "report/table.h"

namespace lapcast {

/// One side of a comparison: what the user called it, and the values of its runs.
struct ComparedSet {
  std::string name;
  std::vector<std::string> about;  // candidates in it: "mnist-mlp this-machine batch=128"
  RunValues values;
};

/// Both sets, then what their comparison says. Values that were left out become notes.
std::vector<Table> comparison_tables(const ComparedSet& a, const ComparedSet& b,
                                     const RunMetric& metric, const Comparison& comparison);

}  // namespace lapcast
