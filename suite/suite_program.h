#pragma once

#include <span>

#include "cli/program_part.h"

namespace lapcast {

/// Returns the commands, pages and parts of the report that the suite of the papers adds.
ProgramPart suite_program();

/// Returns the pages of suite/docs, in order of name.
std::span<const Page> suite_pages();

}  // namespace lapcast
