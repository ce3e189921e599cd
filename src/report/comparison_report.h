#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rank/comparison.h"
#include "table/table.h"

namespace lapcast {

/// Holds one side of a comparison: its name as typed, and the values of its runs.
struct ComparedSet {
  std::string name;
  std::vector<std::string> about;  // its candidates: "mnist-mlp this-machine batch=128"
  RunValues values;
  // What distinguishes its trainings if there are several: "--epochs 6; --epochs 3".
  std::string unlike = {};
  std::optional<double> cores_times_clock = {};  // of the runs; for the metric time
};

/// Returns a table of both sets and a table of their comparison. Notes say which runs were left out
/// and why, and what distinguishes the trainings of a set if they differ.
std::vector<Table> comparison_tables(const ComparedSet& a, const ComparedSet& b,
                                     const RunMetric& metric, const Comparison& comparison);

}  // namespace lapcast
