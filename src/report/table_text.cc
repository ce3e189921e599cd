#include <algorithm>
#include <ostream>

#include "core/units.h"
#include "report/table_cell.h"
#include "report/table_columns.h"
#include "report/table_width.h"
#include "report/table_writers.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestTextLine = 2000;

struct Style {
  bool colour;
  std::string bold(const std::string& text) const { return in("\x1b[1m", text); }
  std::string dim(const std::string& text) const { return in("\x1b[2m", text); }
  std::string in(const char* code, const std::string& text) const {
    return colour && !text.empty() ? code + text + "\x1b[0m" : text;
  }
};

using Line = std::vector<std::string>;

Line shown(const Table& table, std::size_t row) {
  Line line;
  for (std::size_t i = 0; i < table.columns.size(); ++i) line.push_back(shown_cell(table, row, i));
  return line;
}

Line headers_of(const Table& table) {
  Line line;
  for (const Column& column : table.columns) line.push_back(printable(column.header));
  return line;
}

std::vector<std::size_t> widths_of(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  return widths;
}

/// Without spaces at its end.
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

void write_rows(const Table& table, const Style& style, std::ostream& out) {
  std::vector<Line> lines{headers_of(table)};
  for (std::size_t i = 0; i < table.rows.size(); ++i) lines.push_back(shown(table, i));
  const std::vector<std::size_t> widths = widths_of(lines);
  const std::vector<bool> to_the_right = columns_of_figures(table);
  out << style.bold(aligned(lines.front(), widths, to_the_right)) << '\n';
  out << style.dim(rule(widths)) << '\n';
  for (std::size_t i = 1; i < lines.size(); ++i) {
    out << aligned(lines[i], widths, to_the_right) << '\n';
  }
  if (table.rows.empty()) out << "(none)\n";
}

}  // namespace

void write_text(const Table& table, bool colour, std::ostream& out) {
  const Style style{colour};
  if (!table.title.empty()) out << style.bold(printable(table.title, kLongestTextLine)) << '\n';
  for (const std::string& line : table.before) out << printable(line, kLongestTextLine) << '\n';
  if (!table.columns.empty()) {
    if (!table.title.empty() || !table.before.empty()) out << '\n';
    write_rows(table, style, out);
    if (!table.notes.empty()) out << '\n';
  }
  for (const std::string& line : table.notes) {
    out << style.dim(printable(line, kLongestTextLine)) << '\n';
  }
}

}  // namespace lapcast
