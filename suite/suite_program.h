#pragma once

#include "cli/program_part.h"

namespace lapcast {

/// Returns the commands, pages and parts of the report that the suite of the papers adds.
ProgramPart suite_program();

}  // namespace lapcast
