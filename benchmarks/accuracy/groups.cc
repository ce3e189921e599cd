#include "accuracy/groups.h"

namespace lapcast::accuracy {

std::vector<Group> groups_of(const LoggedRun& run) {
  if (run.was_aborted) return {{8, "aborted runs"}};
  const bool is_long = run.total >= Seconds{300};
  const std::string duration = is_long ? "5 min and more" : "under 5 min";
  const bool is_core = run.benchmark != "minigo" && run.benchmark != "unet3d";
  std::vector<Group> groups;
  if (is_core) {
    groups.push_back(is_long ? Group{0, kCoreLong} : Group{1, kCoreShort});
    groups.push_back({5, "core on " + (run.family.empty() ? "unknown" : run.family)});
  } else {
    groups.push_back({run.benchmark == "unet3d" ? 2 : 3, run.benchmark});
  }
  groups.push_back({kPlaceOfBenchmarks, run.benchmark + ", " + duration});
  return groups;
}

}  // namespace lapcast::accuracy
