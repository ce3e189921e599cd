#include "accuracy/csv_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "price/csv_rows.h"

namespace lapcast::accuracy {

CsvTable::CsvTable(std::vector<std::string> columns, Take take)
    : columns_(std::move(columns)),
      take_(std::move(take)),
      place_(columns_.size(), 0),
      cells_(columns_.size()) {}

void CsvTable::feed(std::string_view piece) {
  const std::size_t end = piece.rfind('\n');
  if (end == std::string_view::npos) {
    rest_ += piece;
  } else {
    rest_ += piece.substr(0, end + 1);
    read(rest_);
    rest_ = piece.substr(end + 1);
  }
  if (rest_.size() > kLongestLine) {
    ++damaged_;
    rest_.clear();
  }
}

void CsvTable::finish() {
  read(rest_);
  rest_.clear();
}

void CsvTable::read(std::string_view text) {
  for_each_csv_row(text, [this](const CsvRow& row) {
    if (!row.damage.empty()) {
      ++damaged_;
    } else if (width_ == 0) {
      take_header(row.fields);
    } else {
      take_row(row.fields);
    }
  });
}

void CsvTable::take_header(const std::vector<std::string>& fields) {
  width_ = fields.size();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto found = std::find(fields.begin(), fields.end(), columns_[i]);
    place_[i] = static_cast<std::size_t>(found - fields.begin());
  }
}

void CsvTable::take_row(const std::vector<std::string>& fields) {
  if (fields.size() != width_) {
    ++damaged_;
    return;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    cells_[i] = place_[i] < width_ ? std::string_view(fields[place_[i]]) : std::string_view();
  }
  take_(cells_);
}

std::vector<std::string> CsvTable::missing() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (place_[i] >= width_) names.push_back(columns_[i]);
  }
  return names;
}

std::optional<double> number(std::string_view cell) {
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [rest, error] = std::from_chars(cell.data(), end, value);
  const bool whole = error == std::errc{} && rest == end && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace lapcast::accuracy
