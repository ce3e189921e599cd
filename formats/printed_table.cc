#include "formats/printed_table.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "core/escape_sequences.h"
#include "formats/metrics_columns.h"
#include "lap/table_head.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestRow = 4096;

bool names_epochs(const std::vector<TableCell>& cells) {
  return cells.size() >= 2 &&
         std::ranges::any_of(cells, [](const TableCell& cell) { return counts_epochs(cell.text); });
}

/// Returns the texts of a row under the columns of a head: in their order where each has one, else
/// those that stand under its name. Returns nothing for a line that is not a row.
std::vector<std::string> row_under(const std::vector<TableCell>& head, std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t|");
  if (begin == line.npos || std::isdigit(static_cast<unsigned char>(line[begin])) == 0) return {};
  const std::vector<TableCell> cells = cells_of(line, false);
  std::vector<std::string> row(head.size());
  if (cells.size() == head.size()) {
    std::ranges::transform(cells, row.begin(), &TableCell::text);
    return row;
  }
  const auto begin_of = [](const TableCell& cell) { return cell.end - cell.text.size(); };
  for (const TableCell& cell : cells)
    for (std::size_t i = 0; i < head.size(); ++i)
      if (begin_of(cell) < head[i].end && begin_of(head[i]) < cell.end) {
        row[i].append(row[i].empty() ? "" : " ").append(cell.text);
        break;
      }
  return row;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += line.empty() ? "\"" : ",\"";
    for (const char c : field) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line + '\n';
}

}  // namespace

std::string printed_table_as_csv(std::string_view text) {
  std::vector<TableCell> head;
  std::string csv;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = without_escapes(text.substr(0, std::min(end, kLongestRow)));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.find("poch") != line.npos && has_columns(line)) {
      std::vector<TableCell> cells = cells_of(line, true);
      if (!names_epochs(cells)) continue;
      head = std::move(cells);
      std::vector<std::string> names(head.size());
      std::ranges::transform(head, names.begin(), &TableCell::text);
      csv += csv_line(names);
    } else if (!head.empty()) {
      if (const auto row = row_under(head, line); !row.empty()) csv += csv_line(row);
    }
  }
  return csv;
}

}  // namespace lapcast
