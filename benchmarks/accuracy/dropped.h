#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace lapcast::accuracy {

/// Counts how often each rule excluded something from the measurement. The counts are printed.
class Dropped {
 public:
  void add(const std::string& rule, std::int64_t count = 1) {
    if (count > 0) counts_[rule] += count;
  }
  const std::map<std::string, std::int64_t>& counts() const { return counts_; }

 private:
  std::map<std::string, std::int64_t> counts_;
};

}  // namespace lapcast::accuracy
