#include "lap/table_head.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

constexpr std::size_t kFewestColumns = 3;

}  // namespace

std::vector<TableCell> cells_of(std::string_view line, bool is_of_words) {
  static const RE2 bars(R"(\s*([^|]*?)\s*(?:\||$))", RE2::Latin1);
  static const RE2 words(R"(\s*(\S+(?: \S+)*)\s*)", RE2::Latin1);
  static const RE2 numbers(R"(\s*(\S+)\s*)", RE2::Latin1);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  const bool has_bars = line.find('|') != line.npos;
  std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (has_bars && line[begin] == '|') ++begin;
  std::vector<TableCell> cells;
  re2::StringPiece rest(line.data() + begin, line.size() - begin), text;
  while (!rest.empty() && RE2::Consume(&rest,
                                       has_bars      ? bars
                                       : is_of_words ? words
                                                     : numbers,
                                       &text))
    cells.push_back({std::string(text.data(), text.size()),
                     static_cast<std::size_t>(text.data() + text.size() - line.data())});
  return cells;
}

bool has_columns(std::string_view line) {
  static const RE2 number(R"((?:^|[^A-Za-z_])[0-9])", RE2::Latin1);
  return !RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), number) &&
         cells_of(line, true).size() >= kFewestColumns;
}

void TableHead::take(std::string_view line, bool is_head) {
  const bool follows = std::exchange(was_head_, is_head);
  if (!is_head) return;
  const std::vector<TableCell> cells = cells_of(line, true);
  if (!follows || cells.size() != names_.size()) names_.assign(cells.size(), {});
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (names_[i].empty()) names_[i] = cells[i].text;
}

std::vector<std::string> TableHead::columns_at(std::string_view line,
                                               std::span<const std::size_t> places) const {
  const std::vector<TableCell> cells = cells_of(line, false);
  if (cells.empty() || cells.size() != names_.size()) return {};
  std::vector<std::string> columns;
  std::size_t cell = 0;
  for (const std::size_t place : places) {
    while (cell + 1 < cells.size() && place >= cells[cell].end) ++cell;
    columns.push_back(names_[cell]);
  }
  return columns;
}

}  // namespace lapcast
