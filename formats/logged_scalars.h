#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/imported.h"
#include "formats/logged_steps.h"

namespace lapcast {

/// Holds the scalars of a log, each with a name (tag), a time and a step, and makes a run of them.
/// The laps are the steps of the tag with the most values of the training (LoggedSteps says how),
/// the values of an evaluation tell its end, and all scalars become metrics.
class LoggedScalars {
 public:
  static constexpr std::size_t kMostPoints = 500'000;  // kept
  static constexpr std::size_t kMostTags = 200;        // kept
  static constexpr std::size_t kLongestTag = 256;      // bytes; the rest is cut off

  struct Scalar {
    std::int64_t place = 0;  // in the file, for messages
    std::int64_t at_ns = 0;  // since 1970
    std::int64_t step = 0;
    double value = 0;
  };

  /// Adds a scalar; the order is that of the time. Counts those of which there are too many.
  void add(std::string_view tag, Scalar scalar);
  bool empty() const { return points_.empty(); }
  /// Returns the run of these scalars, of which there is one at least. `first_ns` is when the log
  /// begins, since 1970, `place` is the unit of their places, and `machine` may be empty.
  Run run(std::string_view format, const std::string& source, const std::string& machine,
          std::int64_t first_ns, std::string_view place) const;

 private:
  struct Point : Scalar {
    std::size_t tag = 0;  // index into tags_
  };

  std::size_t main_tag() const;
  LoggedSteps steps(std::int64_t first_ns, std::string_view place, ImportedRunId& id,
                    std::vector<std::string>& warnings) const;

  std::vector<std::string> tags_;
  std::map<std::string, std::size_t, std::less<>> tag_numbers_;
  std::vector<Point> points_;
  std::int64_t too_many_ = 0;  // scalars that were left out
};

}  // namespace lapcast
