#pragma once

#include <string>
#include <vector>

#include "rank/comparison.h"
#include "report/comparison_report.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Returns the runs that one argument names. Its parts, separated by commas, are ids (of a run, a
/// set or a sweep; the first digits are enough, "last" is the newest run) or KEY=VALUE, where KEY
/// is program, machine, kind or a setting. Ids add runs; without an id all runs of the store count.
/// KEY=VALUE then keeps only matching runs; several values of one key mean any of them. Examples:
/// "3f0c8a91d2e4", "3f0c,91d2", "program=mnist-mlp,batch=128", "3f0c8a91d2e4,machine=1c-avx2". The
/// result may be empty. Throws Error (usage) for an id that is unknown or not unique, and for a key
/// that no run has.
std::vector<Run> runs_named(const Store& store, const std::string& text);

/// Returns the name of the program's file without its folder; empty if there is no program.
std::string program_name(const RunContext& context);

/// Returns a set of runs under the name `name`, with its values of the metric.
ComparedSet compared_set(const std::string& name, const std::vector<Run>& runs,
                         const RunMetric& metric);

}  // namespace lapcast
