#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace lapcast {

/// Describes a change to the store that the page asks for.
struct Change {
  enum class Kind { tag_run, remove_run, name_sweep, remove_sweep };
  Kind kind = Kind::tag_run;
  std::string id;    // of the run or the sweep, whole
  std::string text;  // the tag or the name; empty = none
};

/// Reads the body of a request: {"action": "remove-run", "id": "3f0c8a91d2e4", "confirmed":
/// "3f0c8a91d2e4"} or {"action": "tag-run", "id": "3f0c8a91d2e4", "text": "baseline"}. A removal
/// has to name its id twice, as the user confirmed it. Any bytes may be given.
Result<Change> parse_change(std::string_view body);

}  // namespace lapcast
