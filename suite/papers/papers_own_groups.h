#pragma once

#include <span>
#include <string>
#include <vector>

#include "rank/repeat_summary.h"
#include "run/run.h"
#include "suite/papers/figure.h"

namespace lapcast {

/// Returns whether lapcast observed the run itself and its program is one of these programs of the
/// suite.
bool is_of_workloads(const Run& run, const std::vector<std::string>& workloads);

/// Returns the device that a run asked for: its setting, or the value of --device; empty = the
/// program's default.
std::string device_of(const RunContext& context);

/// Returns the full runs of the figure's workloads, grouped by program, machine type, settings and
/// work: nothing else is averaged. A batch size in the arguments is a setting.
std::vector<RepeatGroup> groups_for(const PaperFigure& figure, std::span<const Run> runs);

/// Removes the batch size from the settings of groups that are drawn against it, and updates what
/// distinguishes the works of a program on a machine type.
void name_without_batch(std::vector<RepeatGroup>& groups);

/// Splits the runs of a group by price, which is added to RepeatGroup::training if there are
/// several.
std::vector<RepeatGroup> by_price(const RepeatGroup& group);

/// Returns the group's name in a legend, after the program if the figure has several.
std::string own_name(const PaperFigure& figure, const RepeatGroup& group);

/// Returns the group's settings and what distinguishes its work, for a point of a machine's series.
std::string settings_and_work(RepeatGroup group);

/// Returns the series of that name, and adds it as one of the user's if there is none.
FigureSeries& own_series(PaperFigure& figure, const std::string& name);

}  // namespace lapcast
