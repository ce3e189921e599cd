#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/table.h"

namespace lapcast {

/// One row of the list of what is sent: a file, a link or a folder.
struct SentFileRow {
  std::string path;
  std::string type;  // "file", "link", "empty folder"
  std::string part;  // "program", or the data set that it belongs to
  std::int64_t bytes = 0;
};

/// One row of the list of what a default rule keeps from being sent.
struct UnsentFileRow {
  std::string path;
  std::string rule;        // "secret" or "version control, cache"
  std::int64_t bytes = 0;  // of all that lies in a folder
};

/// Returns a table of what would be sent, with the sum in a note, and one of what default rules
/// leave out.
std::vector<Table> sent_files_tables(const std::vector<SentFileRow>& sent,
                                     const std::vector<UnsentFileRow>& unsent);

}  // namespace lapcast
