#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace lapcast {

/// Returns a golden lap log of tests/golden/lap-log.
inline std::string golden_lap_log(const std::string& name) {
  std::ifstream file(std::string(LAPCAST_SOURCE_DIR) + "/tests/golden/lap-log/" + name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace lapcast
