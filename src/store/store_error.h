#pragma once

#include <filesystem>
#include <string>

#include "core/error.h"

namespace lapcast {

/// Says for people what SQLite reported. `code` is a result code of sqlite.org/rescode.html,
/// extended or not, `system_errno` that of sqlite3_system_errno() or 0, `detail` SQLite's own
/// words.
Error store_error(const std::filesystem::path& file, int code, int system_errno,
                  const std::string& detail);

}  // namespace lapcast
