#pragma once

#include <filesystem>
#include <string>

#include "core/error.h"

namespace lapcast {

/// What SQLite reported, for people. code: a result code of sqlite.org/rescode.html, extended or
/// not; system_errno: sqlite3_system_errno(), 0 = none; detail: SQLite's own words.
Error store_error(const std::filesystem::path& file, int code, int system_errno,
                  const std::string& detail);

}  // namespace lapcast
