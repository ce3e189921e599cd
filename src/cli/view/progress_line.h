#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/view/live_rows.h"

namespace lapcast {

/// Of the terminal at stderr, less one; 79 when it is not known.
std::size_t terminal_width();

/// A line or a few on stderr that are written over while work goes on; on something that is not a
/// terminal only finished lines are written. Nothing at all when quiet.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Replaces what is shown; rows are cut to the terminal's width, and to half of its height.
  void show(std::vector<std::string> rows);
  void show(const std::string& text) { show(std::vector<std::string>{text}); }
  void finished(const std::string& text);  // a line that stays
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  LiveRows rows_;
};

}  // namespace lapcast
