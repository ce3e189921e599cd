#pragma once

#include "accuracy/csv_table.h"
#include "accuracy/dropped.h"
#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

// Read the tables of mlperf/ into `runs`. A row that cannot be used is counted in `dropped` under
// the rule that excluded it.

/// Reads runs.csv: the runs themselves.
CsvTable run_table(LoggedRuns& runs, Dropped& dropped);
/// Reads events.csv: the times in their logs.
CsvTable event_table(LoggedRuns& runs, Dropped& dropped);
/// Is called after the last event. When more than a tenth of a run's evaluations have a result but
/// no begin, the difference is an accident of the table: some logs do not number their evaluations,
/// and ones within a second were taken for repetitions. All evaluations of such a run count as
/// training, and the run is counted in `dropped`.
void drop_uneven_evaluations(LoggedRuns& runs, Dropped& dropped);
/// Reads iters.csv: the progress that they printed.
CsvTable progress_table(LoggedRuns& runs, Dropped& dropped);

}  // namespace lapcast::accuracy
