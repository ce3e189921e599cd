#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Is the text of one column in a line of a table.
struct TableCell {
  std::string text;
  std::size_t end = 0;  // of it in the line
};

/// Returns the cells of a line: between bars, else between blanks, of which there are at least two
/// in a line of words.
std::vector<TableCell> cells_of(std::string_view line, bool is_of_words);

/// Returns whether a line may name the columns of a table: three or more, between bars or at least
/// two blanks, without numbers.
bool has_columns(std::string_view line);

/// Holds the names of the columns of the table that is being printed.
class TableHead {
 public:
  /// Takes a line for the names of columns, if it is said to be one, else passes it over. More
  /// names may stand in the line below.
  void take(std::string_view line, bool is_head);

  /// Returns the names of the columns in which places of a line are, in ascending order; nothing if
  /// the line has another number of columns than the table.
  std::vector<std::string> columns_at(std::string_view line,
                                      std::span<const std::size_t> places) const;

 private:
  std::vector<std::string> names_;
  bool was_head_ = false;  // the line before
};

}  // namespace lapcast
