#pragma once

#include <cstddef>
#include <string>

namespace lapcast {

/// Of the terminal at stderr, less one; 79 when it is not known.
std::size_t terminal_width();

/// One line on stderr that is written over while work goes on; on something that is not a terminal
/// only finished lines are written. Nothing at all when quiet.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);  // replaces the line; cut to the terminal's width
  void finished(const std::string& text);  // a line that stays
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  std::string shown_;
};

}  // namespace lapcast
