#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "price/csv_rows.h"
#include "spot_folder.h"

namespace lapcast::shortlist {

/// Returns the number of a cell, or 0 when it is none.
inline double cell_number(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <class Take>
void for_each_row(const std::string& path, const std::vector<std::string>& columns,
                  const Take& take) {
  const std::string text = spot_file_text(path);
  if (text.empty()) no_data_in(path, "table of a public set");
  std::vector<std::size_t> places;
  std::vector<std::string> cells(columns.size());
  for_each_csv_row(text, [&](const CsvRow& row) {
    if (places.empty()) {
      for (const std::string& column : columns)
        places.push_back(static_cast<std::size_t>(
            std::find(row.fields.begin(), row.fields.end(), column) - row.fields.begin()));
      return;
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
      cells[i] = places[i] < row.fields.size() ? row.fields[places[i]] : std::string();
    take(cells);
  });
}

/// Returns the median of values, which it sorts.
inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

}  // namespace lapcast::shortlist
