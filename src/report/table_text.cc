#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "report/table_writers.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestTextLine = 2000;
constexpr std::string_view kBetweenColumns = "  ";

// Width of text

struct Range {
  char32_t first;
  char32_t last;
};

// Lists general categories Mn, Me and Cf of Unicode 15 for the most frequent scripts, by block.
constexpr Range kZeroWide[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489},  {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x06D6, 0x06DC},   {0x093C, 0x093C},  {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E},   {0x1AB0, 0x1AFF},  {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x2060, 0x2064},
    {0x20D0, 0x20FF},   {0x302A, 0x302D},  {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};

// Lists classes W and F of EastAsianWidth.txt of Unicode 15, by block.
constexpr Range kTwoWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2757, 0x2757},
    {0x2B50, 0x2B50},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x17000, 0x18CFF},
    {0x1B000, 0x1B2FF}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB},
    {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t n>
bool is_in(const Range (&ranges)[n], char32_t c) {
  const auto* const after =
      std::upper_bound(std::begin(ranges), std::end(ranges), c,
                       [](char32_t x, const Range& r) { return x < r.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

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

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  while (!utf8.empty()) {
    // Each byte of a broken character counts as one column.
    const auto [c, length] = decode_utf8(utf8);
    utf8.remove_prefix(std::max<std::size_t>(length, 1));
    width += c < 0x300 ? 1 : is_in(kZeroWide, c) ? 0 : is_in(kTwoWide, c) ? 2 : 1;
  }
  return width;
}

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
