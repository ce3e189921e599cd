#pragma once

#include <map>
#include <string>
#include <string_view>

#include "formats/imported.h"

namespace lapcast {

/// Maps what a column means, one of kIntervalColumns, to its name in a file.
using IntervalColumns = std::map<std::string, std::string>;

/// Lists what a column of a table of intervals can mean: the steps so far; the seconds so far, or
/// those of each row where they fall; those of them that evaluations took, in the same way; which
/// run the row is of; the number of the evaluation, which must be there in each row but says no
/// more.
inline constexpr std::string_view kIntervalColumns[] = {"step", "seconds", "evaluation_seconds",
                                                        "run", "evaluation"};

/// Reads a table with a row at the end of each interval: (step, seconds), perhaps with the seconds
/// of evaluations. A lap is an interval without its evaluation, which becomes a validation at its
/// end; its samples are its steps. What comes before a first row of few steps (below half of a
/// usual interval) is the start. Where the steps fall, or the run differs, another run begins.
/// Columns that `named` lacks are found by their usual names; `format` is the importer's name.
/// Other columns with numbers become metrics.
ImportedLog import_intervals(std::string_view text, const std::string& source,
                             const IntervalColumns& named,
                             std::string_view format = "csv-intervals");

/// Reads eval_measurements.csv of AlgoPerf, or a table of many of them with a column `run`.
ImportedLog import_algoperf(std::string_view text, const std::string& source);
/// Returns whether a line is the header of such a file.
bool names_algoperf(std::string_view header);

/// Parses "step=global_step,seconds=wall". Returns the reason where a part names no such meaning.
Result<IntervalColumns> interval_columns(std::string_view text);

}  // namespace lapcast
