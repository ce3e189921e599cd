#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// The control sequences (ECMA-48, and DECSC/DECRC) that keep one line of our own below the output
/// of a program on the same terminal. The program's output is never changed: while its last line is
/// not ended our line stands one row below the cursor, else in the cursor's own row.
class LiveLine {
 public:
  /// Takes our line away, so that the program can write on; empty when it is not there.
  std::string hide();
  /// Notes what was written to the terminal meanwhile.
  void passed(std::string_view bytes);
  /// Puts our line there, or in place of the former one; without line breaks, no wider than the
  /// terminal.
  std::string show(std::string_view line);
  /// What begins a new row for lines of our own that stay; after hide().
  std::string new_row();

 private:
  bool shown_ = false;
  bool at_line_start_ = true;
};

}  // namespace lapcast
