#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/money.h"

namespace lapcast {

/// Says where each column of a catalog is in a row.
struct CatalogHeader {
  std::map<std::string, std::size_t, std::less<>> position;
  std::size_t width = 0;  // fields of a row
};

/// Reads the cells of a row of a catalog. Keeps the first problem; a cell with a problem is read as
/// its default. It must not outlive the header and the fields.
class CatalogCells {
 public:
  CatalogCells(const CatalogHeader& header, const std::vector<std::string>& fields)
      : header_(header), fields_(fields) {}

  /// Returns what is wrong with the row, such as "boot: longer than a year"; empty = nothing so
  /// far.
  const std::string& problem() const { return problem_; }
  void complain(std::string_view column, std::string_view what);

  /// Returns the text of the cell; empty if the row has no such column.
  std::string_view raw(std::string_view column) const;
  bool has(std::string_view column) const { return !raw(column).empty(); }

  std::string text(std::string_view column);
  std::string required(std::string_view column, std::string_view when_missing);
  /// Returns an amount that is not negative, in the currency of the column.
  Money money(std::string_view column);
  double number(std::string_view column, double absent);
  std::optional<double> known_number(std::string_view column);
  /// Returns bytes of a column in GiB, or of another one in bytes where the row has that.
  std::optional<std::int64_t> memory(std::string_view column,
                                     std::string_view column_of_bytes = "");
  int count(std::string_view column);
  /// Returns a share from 0 to 1, written as "19%" or "0.19".
  double share(std::string_view column);
  std::int64_t duration_ns(std::string_view column, std::int64_t absent);

 private:
  const CatalogHeader& header_;
  const std::vector<std::string>& fields_;
  std::string problem_;
};

}  // namespace lapcast
