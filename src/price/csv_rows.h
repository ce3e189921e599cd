#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

struct CsvRow {
  std::int64_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
  std::string damage;  // why the fields must not be used; empty = the row is whole
};

/// Calls the function with every row of an RFC 4180 text, in order; the row is valid during the
/// call only. Quoted fields may hold commas, doubled quotes and line breaks (a row has at most 16
/// lines). LF, CR LF and CR end a row. Blank lines and a leading byte order mark are skipped, and
/// spaces around fields are dropped. A row whose quotes are wrong comes with `damage`, and reading
/// goes on with the line after its first one.
void for_each_csv_row(std::string_view text, const std::function<void(const CsvRow&)>& call);

}  // namespace lapcast
