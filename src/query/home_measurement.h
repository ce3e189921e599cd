#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "forecast/gpu_use.h"
#include "history/assessment.h"
#include "machine/description.h"
#include "machine/machine_type.h"
#include "rank/transferred_cases.h"
#include "run/run.h"

namespace lapcast {

/// Returns what the probes of one program say of it: the laps at their batch sizes, the busy share
/// and the memory of the accelerator, and the training that `judge` forecasts. The training is
/// that of the first run on a machine with an accelerator, else of the first run; runs on other
/// machines than its are probes. `accelerator` names that of the runs; empty = those of their
/// machines, if the program used them. Returns the reason when no run has a forecast, or a name is
/// in no table. Without `precision` it is the one that the run of the training told, else FP32.
Result<HomeMeasurement> home_of_runs(std::span<const Run> runs, const RunAssessor& judge,
                                     const std::string& accelerator,
                                     const std::optional<PrecisionClass>& precision,
                                     const AcceleratorTable& table);

/// Returns what a run on another machine than the home says of the same program: its lap, and the
/// whole training there. `accelerator` is that of the machine; null = it has none.
/// Returns the reason when the run has no forecast.
Result<ProbeLap> probe_lap_of(const Run& run, const RunAssessor& judge,
                              const AcceleratorSpec* accelerator);

/// Returns the accelerator that a run trained on, the one `named` or that of its machine; null = it
/// used none. The reason says that the table lacks it.
Result<const AcceleratorSpec*> trained_on(const Run& run, std::span<const GpuUse> uses,
                                          const std::string& named, const AcceleratorTable& table);

/// Returns what a machine type may use of a machine without an accelerator.
CpuMachine cpu_machine_of(const MachineType& type, const MachineDescription& machine);

/// Reads what somebody wrote down of a program on a machine, a TOML file (docs/shortlist.md). The
/// training is that of `plan`, which needs epochs and samples, or steps. Throws Error (bad input)
/// that points at what is wrong.
HomeMeasurement home_of_profile(const std::string& text, const std::string& file,
                                const TrainingPlan& plan, const AcceleratorTable& table);

}  // namespace lapcast
