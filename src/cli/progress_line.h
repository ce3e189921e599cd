#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lapcast {

/// Returns the columns of the terminal at stderr, less one; 79 when they are not known.
std::size_t terminal_width();

/// Makes the control sequences (ECMA-48) that write the last rows of a terminal over and over, with
/// nothing below them.
class LiveRows {
 public:
  /// Replaces the rows that are shown. Each row is no wider than the terminal and has no line
  /// breaks. Returns an empty text when the rows are the same.
  std::string show(const std::vector<std::string>& rows);
  /// Removes the rows, so that lines that stay can be written. Returns an empty text when there are
  /// none.
  std::string hide();

 private:
  std::string to_first_row() const;
  std::vector<std::string> shown_;
};

/// Returns at most `most` rows: where there are more, the last one says how many are left out.
std::vector<std::string> first_rows(std::vector<std::string> rows, std::size_t most);

/// Shows a line or a few on stderr that are written over while work goes on. On something that is
/// not a terminal it writes only finished lines; when quiet it writes nothing at all.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Replaces what is shown; rows are cut to the terminal's width, and to half of its height.
  void show(std::vector<std::string> rows);
  void show(const std::string& text) { show(std::vector<std::string>{text}); }
  /// Writes a line that stays.
  void finished(const std::string& text);
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  LiveRows rows_;
};

}  // namespace lapcast
