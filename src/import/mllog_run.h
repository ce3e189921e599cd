#pragma once

#include <string>

#include "import/mllog_draft.h"
#include "run/run.h"

namespace lapcast {

/// The run that a draft is about. `source`: name of the file, as it shall be shown.
Run mllog_run(const MllogDraft& draft, const std::string& source);

}  // namespace lapcast
