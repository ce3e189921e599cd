#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/probe_request.h"

namespace lapcast {

/// False for a pattern that is empty, absolute or has a "..": it has to stay in the run folder.
bool is_checkpoint_pattern(std::string_view pattern);

/// The file or folder of the run folder, by its path in it, that fits a pattern of glob(7) and was
/// written last; of equals the last in order of name. None = there is none.
std::optional<std::string> newest_checkpoint(const std::filesystem::path& run_dir,
                                             const std::string& pattern);

/// The arguments of a plan with {checkpoint} filled, as a path below {run_dir}.
std::vector<std::string> resume_arguments(const ResumePlan& plan, const std::string& checkpoint);

}  // namespace lapcast
