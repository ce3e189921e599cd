#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/imported.h"
#include "import/tf_record.h"

namespace lapcast {

/// Reads a TensorBoard event file piece by piece. Laps are the stretches between the logged steps
/// of one tag, the one with the most; what is logged becomes metrics.
class TensorboardReader {
 public:
  static constexpr std::size_t kMostPoints = 500'000;  // of a file: bounds memory
  static constexpr std::size_t kMostTags = 200;
  static constexpr std::size_t kLongestTag = 256;  // bytes; the rest is cut off

  void feed(std::string_view piece);
  /// Returns the run, after the last piece. `source` is the name of the file as it is shown.
  ImportedLog finish(const std::string& source);

 private:
  struct Point {
    std::int64_t record = 0;  // of the file, from 1
    std::int64_t at_ns = 0;   // since 1970
    std::int64_t step = 0;
    std::size_t tag = 0;  // index into tags_
    double value = 0;
  };

  void take(std::string_view record);
  void take_scalar(std::string_view tag, double value, Point point);
  std::size_t main_tag() const;
  std::vector<Point> lap_ends(std::vector<std::string>& warnings) const;
  std::string lap_log(const std::vector<Point>& ends) const;
  std::vector<std::string> problems() const;

  TfRecordReader records_;
  std::vector<std::string> tags_;
  std::map<std::string, std::size_t, std::less<>> tag_numbers_;
  std::vector<Point> points_;
  std::int64_t first_ns_ = 0;  // of the first record that has a time
  std::int64_t too_many_ = 0;
  std::int64_t no_event_ = 0;  // records that are whole, but no event
};

}  // namespace lapcast
