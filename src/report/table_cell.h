#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/table.h"

namespace lapcast {

/// Nothing where there is no value.
template <class T>
Cell cell_of(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}

/// "12.3 s (11.9-12.8)", "$12.24", "yes"; "-" for nothing. Not yet safe for any format.
std::string for_people(const Cell& cell);

/// A value of the machine formats. Neither quoted nor with text: nothing.
struct PlainValue {
  std::string text;
  bool quoted = false;  // is a text, not a figure or a truth value
};

/// True for each column that has KEY_low and KEY_high.
std::vector<bool> columns_with_bounds(const Table& table);
/// True for each column with figures only: aligned to the right.
std::vector<bool> columns_of_figures(const Table& table);

/// Keys of the machine formats, and the values of a row under them. Rows that are too short are
/// filled up, what is too long is left out.
std::vector<std::string> plain_keys(const Table& table);
std::vector<PlainValue> plain_values(const Table& table, const std::vector<Cell>& row,
                                     const std::vector<bool>& with_bounds);

}  // namespace lapcast
