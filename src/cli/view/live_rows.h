#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lapcast {

/// The control sequences (ECMA-48) that write some rows of a terminal over and over: the last rows
/// that were written, with nothing below them.
class LiveRows {
 public:
  /// Puts these rows, each no wider than the terminal and without line breaks, in place of the
  /// former ones; empty when they are the same.
  std::string show(const std::vector<std::string>& rows);
  /// Takes them away, so that lines that stay can be written; empty when there are none.
  std::string hide();

 private:
  std::string to_first_row() const;
  std::vector<std::string> shown_;
};

/// At most `most` rows: where there are more, the last one says how many are left out.
std::vector<std::string> first_rows(std::vector<std::string> rows, std::size_t most);

}  // namespace lapcast
