#pragma once

#include <vector>

#include "suite/papers/study.h"

namespace lapcast {

// These functions return the parts of malta_study().

/// Returns the speed-ups and costs of tables 4.1 and 4.2, and the epochs of tables 4.3 and 5.1.
std::vector<PaperCell> malta_run_cells();
/// Returns the estimates of tables 5.2 to 5.5 and 5.9, with their printed errors.
std::vector<PaperCell> malta_estimate_cells();
/// Returns the relative times and costs of tables 5.6 to 5.13, A.1 to A.3 and B.1 to B.4.
std::vector<PaperCell> malta_relative_cells();
/// Returns the picks of the columns of those tables.
std::vector<PaperPick> malta_picks();
/// Returns the costs of the searches, tables 4.4, 4.5 and 5.14, and the figures of the text.
std::vector<PaperCell> malta_text_cells();

}  // namespace lapcast
