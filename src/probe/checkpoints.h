#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/probe_request.h"

namespace lapcast {

/// Returns whether a pattern stays in the run folder: it is not empty, not absolute and has no
/// "..".
bool is_checkpoint_pattern(std::string_view pattern);

/// Returns the file or folder in the run folder, as a path below it, that fits a pattern of glob(7)
/// and was written last; the last name of several. None = nothing fits.
std::optional<std::string> newest_checkpoint(const std::filesystem::path& run_dir,
                                             const std::string& pattern);

/// Returns the arguments of a plan with {checkpoint} filled, as a path below {run_dir}.
std::vector<std::string> resume_arguments(const ResumePlan& plan, const std::string& checkpoint);

}  // namespace lapcast
