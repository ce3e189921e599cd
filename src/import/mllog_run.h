#pragma once

#include <optional>
#include <string>

#include "import/mllog_draft.h"
#include "import/mllog_units.h"
#include "run/run.h"

namespace lapcast {

/// The run that a draft is about. `source`: name of the file, as it shall be shown. `laps`: which
/// unit shall be the laps, see times_of().
Run mllog_run(const MllogDraft& draft, const std::string& source,
              std::optional<MllogUnit> laps = std::nullopt);

}  // namespace lapcast
