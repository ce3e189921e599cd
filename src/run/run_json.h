#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "run/run.h"

namespace lapcast {

/// Returns a run as one line of JSON without its line break, all raw laps included: what `lapcast
/// export` writes and the store keeps. Nothing is lost: texts that are not UTF-8 are written as
/// {"base64": "..."}, doubles with the digits that read back the same (those that are not finite
/// are left out, as not known). Keys and meaning: docs/export.md; "format": "lapcast-run",
/// "version": 1.
std::string to_json_line(const Run& run);

/// Returns the run of such a line. Unknown keys are ignored; a key that is missing or has another
/// type, and a newer version, are refused with a reason that names them.
Result<Run> run_from_json_line(std::string_view line);

}  // namespace lapcast
