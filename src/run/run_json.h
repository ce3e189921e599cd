#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "run/json_texts.h"
#include "run/run.h"

namespace lapcast {

/// Returns a run, with all raw laps, as one line of JSON without a line break, as `lapcast export`
/// writes it, workers hand it over and the store keeps it. docs/formats.md lists the keys.
/// run_from_json_line() gives the same run back, except that doubles that are not finite are left
/// out.
std::string to_json_line(const Run& run);
/// Passes that line to `take` in pieces.
void write_json_line(const Run& run, const TakeText& take);

/// Reads such a line. Ignores unknown keys. The reason names a required key that is missing, a
/// value of another type, or a newer version.
Result<Run> run_from_json_line(std::string_view line);

}  // namespace lapcast
