#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lapcast {

/// Returns the width of the terminal at stderr minus one column; 79 if it is not known.
std::size_t terminal_width();
/// Returns how many columns the lines of a stream (STDOUT_FILENO ...) may have: those of its
/// terminal, else $COLUMNS, which counts for pipes and files, too; 0 = no limit.
std::size_t columns_of(int stream);

/// Makes the control sequences (ECMA-48) that rewrite the last rows of a terminal in place, with
/// nothing below them.
class LiveRows {
 public:
  /// Replaces the rows. Each row is no wider than the terminal and has no line breaks. Returns an
  /// empty text if the rows are the same.
  std::string show(const std::vector<std::string>& rows);
  /// Removes the rows, so that permanent lines can be written. Returns an empty text if there are
  /// none.
  std::string hide();

 private:
  std::string to_first_row() const;
  std::vector<std::string> shown_;
};

/// Returns at most `most` rows: if there are more, the last one says how many are left out.
std::vector<std::string> first_rows(std::vector<std::string> rows, std::size_t most);

/// Shows one or more lines on stderr that are overwritten as work proceeds. If stderr is not a
/// terminal it writes only finished lines; when quiet it writes nothing at all.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Replaces the rows; they are cut to the terminal's width, and to half of its height.
  void show(std::vector<std::string> rows);
  void show(const std::string& text) { show(std::vector<std::string>{text}); }
  /// Writes a permanent line.
  void finished(const std::string& text);
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  LiveRows rows_;
};

}  // namespace lapcast
