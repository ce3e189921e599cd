#pragma once

#include "accuracy/csv_table.h"
#include "accuracy/dropped.h"
#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

// The tables of mlperf/, each a reader that fills `runs`. A row that cannot be used is counted in
// `dropped` by the rule that says why.

/// runs.csv: the runs themselves.
CsvTable run_table(LoggedRuns& runs, Dropped& dropped);
/// events.csv: what their logs time.
CsvTable event_table(LoggedRuns& runs, Dropped& dropped);
/// After the last event: where more than a tenth of a run's evaluations have a result but no begin,
/// those that have one are told from the others by an accident of the table (some logs do not number
/// their evaluations, and ones that follow within a second were taken for repetitions of one): all
/// of the run count with the training. Such runs are counted.
void drop_uneven_evaluations(LoggedRuns& runs, Dropped& dropped);
/// iters.csv: what they printed of their progress.
CsvTable progress_table(LoggedRuns& runs, Dropped& dropped);

}  // namespace lapcast::accuracy
