#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/display_width.h"
#include "core/units.h"
#include "report/table_writers.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestTextLine = 2000;
constexpr std::string_view kBetweenColumns = "  ";

// Columns that fit

using Line = std::vector<std::string>;

/// Returns the headers, then each row, as people are shown them.
std::vector<Line> lines_of(const Table& table) {
  std::vector<Line> lines(1);
  for (const Column& column : table.columns) lines.front().push_back(printable(column.header));
  for (const auto& row : table.rows) {
    Line& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back(printable(for_people(cell)));
  }
  return lines;
}

std::vector<std::size_t> widths_of(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], display_width(line[i]));
  return widths;
}

/// Returns the spare column to leave out first: the last one with the highest number.
std::optional<std::size_t> most_spare(const std::vector<Column>& columns) {
  std::optional<std::size_t> most;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (const int spare = columns[i].traits.spare; spare > 0)
      if (!most || spare >= columns[*most].traits.spare) most = i;
  return most;
}

/// Leaves out spare columns, those with the highest number first, until the table fits `width`
/// terminal columns; a note names them. `width` 0 leaves the table as it is.
void fit(Table& table, std::size_t width) {
  std::vector<std::size_t> widths = widths_of(lines_of(table));
  for (std::size_t& w : widths) w += kBetweenColumns.size();
  std::string left_out;
  while (width > 0 && std::accumulate(widths.begin(), widths.end(), std::size_t{0}) >
                          width + kBetweenColumns.size()) {
    const auto column = most_spare(table.columns);
    if (!column) break;
    left_out += (left_out.empty() ? "" : ", ") + table.columns[*column].header;
    remove_column(table, *column);
    widths.erase(widths.begin() + static_cast<std::ptrdiff_t>(*column));
  }
  if (!left_out.empty())
    table.notes.push_back("left out to fit the terminal: " + left_out +
                          "; all columns with --format csv, or through a pipe");
}

// Writing

struct Emphasis {
  bool colour;
  std::string bold(const std::string& text) const { return in("\x1b[1m", text); }
  std::string dim(const std::string& text) const { return in("\x1b[2m", text); }
  std::string in(const char* code, const std::string& text) const {
    return colour && !text.empty() ? code + text + "\x1b[0m" : text;
  }
};

/// Returns the line without spaces at its end.
std::string aligned(const Line& line, const std::vector<std::size_t>& widths,
                    const std::vector<bool>& to_the_right) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string padding(widths[i] - display_width(line[i]), ' ');
    if (i > 0) text += kBetweenColumns;
    text += to_the_right[i] ? padding + line[i] : line[i] + padding;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string rule(const std::vector<std::size_t>& widths) {
  std::string text;
  for (const std::size_t width : widths) {
    if (!text.empty()) text += kBetweenColumns;
    text += std::string(std::max<std::size_t>(width, 1), '-');
  }
  return text;
}

void write_rows(const Table& table, const Emphasis& style, std::ostream& out) {
  const std::vector<Line> lines = lines_of(table);
  const std::vector<std::size_t> widths = widths_of(lines);
  const std::vector<bool> to_the_right = columns_of_figures(table);
  out << style.bold(aligned(lines.front(), widths, to_the_right)) << '\n';
  out << style.dim(rule(widths)) << '\n';
  for (std::size_t i = 1; i < lines.size(); ++i)
    out << aligned(lines[i], widths, to_the_right) << '\n';
  if (table.rows.empty()) out << "(none)\n";
}

}  // namespace

void write_text(Table table, TextStyle style, std::ostream& out) {
  fit(table, style.width);
  const Emphasis emphasis{style.colour};
  if (!table.title.empty()) out << emphasis.bold(printable(table.title, kLongestTextLine)) << '\n';
  for (const std::string& line : table.before) out << printable(line, kLongestTextLine) << '\n';
  if (!table.columns.empty()) {
    if (!table.title.empty() || !table.before.empty()) out << '\n';
    write_rows(table, emphasis, out);
    if (!table.notes.empty()) out << '\n';
  }
  for (const std::string& line : table.notes)
    out << emphasis.dim(printable(line, kLongestTextLine)) << '\n';
}

}  // namespace lapcast
