#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast::accuracy {

/// Reads a table with a header line piece by piece in memory that does not grow with the table.
/// Columns are found by their names, in any order; other columns are ignored.
class CsvTable {
 public:
  /// Holds the cells of a row in the order of the requested columns; cells of missing columns are
  /// empty.
  using Cells = std::span<const std::string_view>;
  using Take = std::function<void(Cells)>;

  CsvTable(std::vector<std::string> columns, Take take);

  void feed(std::string_view piece);
  void finish();

  /// Returns the requested columns that the header lacks, or all of them before it was read.
  std::vector<std::string> missing() const;
  /// Returns the number of rows that are not CSV, or whose number of cells differs from the
  /// header's.
  std::int64_t damaged() const { return damaged_; }

 private:
  static constexpr std::size_t kLongestLine = 1 << 20;

  void read(std::string_view text);
  void take_header(const std::vector<std::string>& fields);
  void take_row(const std::vector<std::string>& fields);

  std::vector<std::string> columns_;
  Take take_;
  std::string rest_;                // the beginning of a line whose end has not been read
  std::size_t width_ = 0;           // cells of the header; 0 = not yet read
  std::vector<std::size_t> place_;  // of each column; width_ = absent
  std::vector<std::string_view> cells_;
  std::int64_t damaged_ = 0;
};

/// Parses a cell that is exactly one finite number. Returns nothing otherwise.
std::optional<double> number(std::string_view cell);

}  // namespace lapcast::accuracy
