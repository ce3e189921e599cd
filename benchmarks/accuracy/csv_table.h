#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast::accuracy {

/// Reads a table with a header line piece by piece, in memory that does not grow with it. Columns
/// are found by their names, in any order; others are passed over.
class CsvTable {
 public:
  /// The cells of a row in the order of the columns asked for; an absent column's are empty.
  using Cells = std::span<const std::string_view>;
  using Take = std::function<void(Cells)>;

  CsvTable(std::vector<std::string> columns, Take take);

  void feed(std::string_view piece);
  void finish();

  /// Of the columns asked for, those that the header lacks; all of them before it was read.
  std::vector<std::string> missing() const;
  /// Rows that are no CSV, or have another number of cells than the header.
  std::int64_t damaged() const { return damaged_; }

 private:
  static constexpr std::size_t kLongestLine = 1 << 20;

  void read(std::string_view text);
  void take_header(const std::vector<std::string>& fields);
  void take_row(const std::vector<std::string>& fields);

  std::vector<std::string> columns_;
  Take take_;
  std::string rest_;               // of a line whose end has not been seen
  std::size_t width_ = 0;          // cells of the header; 0 = not yet read
  std::vector<std::size_t> place_;  // of each column; width_ = absent
  std::vector<std::string_view> cells_;
  std::int64_t damaged_ = 0;
};

/// The number that a cell is, and nothing else; none where it is not finite.
std::optional<double> number(std::string_view cell);

}  // namespace lapcast::accuracy
