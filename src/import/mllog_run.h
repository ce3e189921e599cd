#pragma once

#include <optional>
#include <string>

#include "import/mllog_draft.h"
#include "import/mllog_units.h"
#include "run/run.h"

namespace lapcast {

/// Returns the run that a draft describes. `source` is the name of the file as it is shown. `laps`
/// says which unit becomes the laps, see times_of().
Run mllog_run(const MllogDraft& draft, const std::string& source,
              std::optional<MllogUnit> laps = std::nullopt);

}  // namespace lapcast
