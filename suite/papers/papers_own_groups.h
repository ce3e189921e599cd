#pragma once

#include <span>
#include <string>
#include <vector>

#include "rank/repeat_summary.h"
#include "run/run.h"
#include "suite/papers/figure.h"

namespace lapcast {

/// Returns whether lapcast observed the run itself and its program is one of the suite's of these
/// names.
bool is_of_workloads(const Run& run, const std::vector<std::string>& workloads);

/// Returns the device that a run asked for: its setting, or the value of --device; empty = the
/// program's own.
std::string device_of(const RunContext& context);

/// Returns the runs to their end of the figure's workloads, in groups of one program, machine type,
/// settings and work: nothing else is averaged. A batch size among the arguments is a setting.
std::vector<RepeatGroup> groups_for(const PaperFigure& figure, std::span<const Run> runs);

/// Takes the batch size out of the settings of groups that are drawn against it, and says anew what
/// sets the works of a program on a machine type apart.
void name_without_batch(std::vector<RepeatGroup>& groups);

/// Returns the runs of a group in groups of one price, which is in RepeatGroup::training where
/// there are several.
std::vector<RepeatGroup> by_price(const RepeatGroup& group);

/// Returns the group's name in a legend. The program stands before it where a figure is of several.
std::string own_name(const PaperFigure& figure, const RepeatGroup& group);

/// Returns the group's settings and what sets its work apart, for a point of a machine's series.
std::string settings_and_work(RepeatGroup group);

/// Returns the series of that name, which it adds as one of the user's where there is none yet.
FigureSeries& own_series(PaperFigure& figure, const std::string& name);

}  // namespace lapcast
