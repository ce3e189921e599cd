#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "import/imported.h"

namespace lapcast {

/// The formats of old logs that `lapcast import` knows, and what each is.
struct LogFormat {
  const char* name;
  const char* what;
};
inline constexpr LogFormat kLogFormats[] = {
    {"mllog", "result logs of MLPerf training, v0.5 to v2.0 and later"},
    {"dawnbench", "an entry of DAWNBench: its JSON, its TSV beside it, or both"},
    {"tensorboard", "an event file of TensorBoard"},
    {"keras-csv", "what Keras's CSVLogger wrote"},
    {"stopwatch", "the CSV lines of cloudmesh's stopwatch"},
};
bool is_log_format(std::string_view name);

/// Reads the logs one after the other and hands over what each one was. A file may be compressed by
/// gzip; "-" is stdin. Error (bad input) when a file cannot be read.
void import_logs(std::string_view format, const std::vector<std::string>& files,
                 const std::function<void(const std::string& file, ImportedLog imported)>& take);

}  // namespace lapcast
