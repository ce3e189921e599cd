#include <string>
#include <string_view>

#include "formats/csv_intervals.h"

namespace lapcast {

bool names_algoperf(std::string_view header) {
  for (const char* column : {"global_step", "total_duration", "accumulated_eval_time"})
    if (header.find(column) == std::string_view::npos) return false;
  return true;
}

ImportedLog import_algoperf(std::string_view text, const std::string& source) {
  return import_intervals(text, source,
                          {{"step", "global_step"},
                           {"seconds", "total_duration"},
                           {"evaluation_seconds", "accumulated_eval_time"}},
                          "algoperf");
}

}  // namespace lapcast
