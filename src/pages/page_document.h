#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/redaction.h"

namespace lapcast {

/// Describes where a page comes from.
struct PageOrigin {
  std::string command;  // the typed command that made it
  std::string version;  // of lapcast
  std::string made_at;  // UTC, "2026-11-20T12:00:00Z"
  std::string home;     // the user's home folder, which the page writes as ~
};

/// Returns the JSON text (docs/report.schema.json) of a page that has one part and shows no runs.
/// `key` names the part; details that `detail` excludes are removed from it.
std::string page_document(const std::string& title, const std::string& key,
                          nlohmann::ordered_json part, Detail detail, const PageOrigin& origin);

}  // namespace lapcast
