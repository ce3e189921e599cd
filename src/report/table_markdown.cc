#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "core/units.h"
#include "report/table_writers.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestLine = 2000;

/// Returns the text with a backslash before each character that has a meaning within a line of
/// GitHub's Markdown.
std::string escaped(std::string_view text, std::size_t longest) {
  std::string result;
  for (const char c : printable(text, longest)) {
    if (std::string_view("\\`*_[]<>|~$&#!").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Escapes also what has a meaning at the beginning of a line: lists, rules, indented code.
std::string escaped_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string line = escaped(text, kLongestLine);
  if (line.empty()) return line;
  if (std::string_view("+-=").find(line[0]) != std::string_view::npos) return "\\" + line;
  const std::size_t digits = line.find_first_not_of("0123456789");
  const bool numbered =
      digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  return numbered ? line.substr(0, digits) + "\\" + line.substr(digits) : line;
}

void write_rows(const Table& table, std::ostream& out) {
  for (const Column& column : table.columns) out << "| " << escaped(column.header, 200) << ' ';
  out << "|\n";
  for (const bool figures : columns_of_figures(table)) out << (figures ? "| ---: " : "| --- ");
  out << "|\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      out << "| " << escaped(i < row.size() ? for_people(row[i]) : "-", 200) << ' ';
    }
    out << "|\n";
  }
}

}  // namespace

void write_markdown(const Table& table, std::ostream& out) {
  const char* between = "";
  const auto paragraph = [&] { out << between, between = "\n"; };
  if (!table.title.empty()) {
    paragraph();
    out << "## " << escaped(table.title, kLongestLine) << '\n';
  }
  for (const std::string& line : table.before) {
    paragraph();
    out << escaped_line(line) << '\n';
  }
  if (!table.columns.empty()) {
    paragraph();
    write_rows(table, out);
  }
  if (!table.notes.empty()) paragraph();
  for (const std::string& line : table.notes) out << "- " << escaped_line(line) << '\n';
}

}  // namespace lapcast
