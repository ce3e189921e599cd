#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

LoggedRun* LoggedRuns::find(std::string_view id) {
  if (last_ < runs.size() && runs[last_].id == id) return &runs[last_];
  const auto found = by_id.find(std::string(id));
  if (found == by_id.end()) return nullptr;
  last_ = found->second;
  return &runs[last_];
}

}  // namespace lapcast::accuracy
