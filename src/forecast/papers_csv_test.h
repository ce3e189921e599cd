#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Returns, for tests, the rows of tests/data/papers/NAME as column -> text. The file has no quoted
/// fields.
using PapersRow = std::map<std::string, std::string>;
inline std::vector<PapersRow> papers_table(const std::string& name) {
  std::ifstream file(std::string(LAPCAST_SOURCE_DIR "/tests/data/papers/") + name);
  if (!file) throw std::runtime_error("no " + name);
  const auto fields = [](const std::string& line) {
    std::vector<std::string> result;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) result.push_back(field);
    return result;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> columns = fields(line);
  std::vector<PapersRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> values = fields(line);
    PapersRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = values.at(i);
  }
  return rows;
}

/// Returns what a printed number may have been before it was rounded: half a unit of its last digit
/// around it.
inline Interval<double> before_rounding(const std::string& printed) {
  const std::size_t point = printed.find('.');
  double half = 0.5;
  if (point != std::string::npos) {
    for (std::size_t i = point + 1; i < printed.size(); ++i) half /= 10;
  }
  const double value = std::stod(printed);
  return {value - half, value, value + half};
}

}  // namespace lapcast
