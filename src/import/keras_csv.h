#pragma once

#include <string>
#include <string_view>

#include "import/imported.h"

namespace lapcast {

/// Reads the CSV of Keras's CSVLogger: a row for each epoch with its metrics. It has no times
/// itself: without a column of times (docs/import.md lists the names) a run has metrics and no
/// laps. An epoch that does not grow begins another run: the logger appends.
ImportedLog import_keras_csv(std::string_view text, const std::string& source);

}  // namespace lapcast
