#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/display_width.h"
#include "core/units.h"
#include "machine/proc_text.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestTextLine = 2000;
constexpr std::size_t kLongestWord = 24;    // longer ones are broken
constexpr std::size_t kLongestWhole = 12;   // such as an id: never broken
constexpr std::size_t kNarrowestText = 60;  // columns of lines above and below a table
constexpr std::string_view kBetweenColumns = "  ";

// Columns that fit

using Line = std::vector<std::string>;

Line headers_of(const Table& table) {
  Line headers;
  for (const Column& column : table.columns) headers.push_back(printable(column.header));
  return headers;
}

/// Returns a row as people see it.
Line line_of(const std::vector<Cell>& row, IntervalForm form) {
  Line line;
  for (const Cell& cell : row) line.push_back(printable(for_people(cell, form)));
  return line;
}

std::vector<std::size_t> widths_of(const Table& table, IntervalForm form) {
  std::vector<std::size_t> widths(table.columns.size(), 0);
  const auto widen = [&](const Line& line) {
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], display_width(line[i]));
  };
  widen(headers_of(table));
  table.for_each_row([&](const auto& row) { widen(line_of(row, form)); });
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

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  const std::size_t between = kBetweenColumns.size() * (widths.empty() ? 0 : widths.size() - 1);
  return std::accumulate(widths.begin(), widths.end(), between);
}

struct Layout {
  IntervalForm form = IntervalForm::bounds;
  std::vector<std::size_t> widths;
};

/// Says where the words of a text may be broken.
enum class Break { only_long_words, after_marks };

/// Returns the width that a word needs: at most kLongestWord and, broken after marks, that of its
/// longest piece, or kLongestWhole where that is more.
std::size_t least_width(std::string_view word, Break where) {
  const std::size_t whole = std::min(display_width(word), kLongestWord);
  if (where == Break::only_long_words || whole <= kLongestWhole) return whole;
  std::size_t least = kLongestWhole;
  while (!word.empty()) {
    const std::size_t piece = std::min(word.find_first_of(kBreakAfter), word.size() - 1) + 1;
    least = std::max(least, std::min(display_width(word.substr(0, piece)), kLongestWord));
    word.remove_prefix(piece);
  }
  return least;
}

/// Returns how narrow each column may become: figures stay as they are.
std::vector<std::size_t> least_widths(const Table& table, const Layout& layout, Break where) {
  std::vector<std::size_t> least(table.columns.size(), 0);
  const auto widen = [&](const Line& line) {
    for (std::size_t i = 0; i < line.size(); ++i)
      for (const std::string_view word : split(line[i], ' '))
        least[i] = std::max(least[i], least_width(word, where));
  };
  widen(headers_of(table));
  table.for_each_row([&](const auto& row) { widen(line_of(row, layout.form)); });
  const std::vector<bool> figures = columns_of_figures(table);
  for (std::size_t i = 0; i < least.size(); ++i)
    if (figures[i]) least[i] = layout.widths[i];
  return least;
}

/// Makes the widest columns narrower, whose cells then take several lines. Returns whether the
/// table is narrow enough.
bool narrow(const Table& table, Layout& layout, std::size_t width, Break where) {
  const std::vector<std::size_t> least = least_widths(table, layout, where);
  std::vector<std::size_t>& widths = layout.widths;
  while (sum_of(widths) > width) {
    std::optional<std::size_t> widest;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (!widest || widths[i] > widths[*widest])) widest = i;
    if (!widest) return false;
    --widths[*widest];
  }
  return true;
}

/// Returns the last column but the first two that has the same text in several rows and in all of
/// them: it tells nothing apart. With `any` not only columns with that trait count.
std::optional<std::size_t> constant_column(const Table& table, bool any) {
  std::vector<bool> counts(table.columns.size(), false);
  for (std::size_t i = 2; i < counts.size(); ++i)
    counts[i] = any || table.columns[i].traits.tells_apart;
  if (std::ranges::find(counts, true) == counts.end()) return std::nullopt;
  Line first;
  std::size_t rows = 0;
  table.for_each_row([&](const auto& row) {  // which may be millions: none but the first is kept
    Line line = line_of(row, IntervalForm::bounds);
    if (rows++ == 0)
      first = std::move(line);
    else
      for (std::size_t i = 2; i < counts.size(); ++i) counts[i] = counts[i] && line[i] == first[i];
  });
  const auto last = std::find(counts.rbegin(), counts.rend(), true);
  if (rows < 2 || last == counts.rend()) return std::nullopt;
  return static_cast<std::size_t>(counts.rend() - last) - 1;
}

/// Returns the last text but for the first two columns, else the last column.
std::size_t last_text(const Table& table) {
  const std::vector<bool> figures = columns_of_figures(table);
  for (std::size_t i = figures.size(); i > 2; --i)
    if (!figures[i - 1]) return i - 1;
  return figures.size() - 1;
}

/// Lays a table out for style.width columns; 0 leaves it as it is. A table that is too wide first
/// shows its intervals in percent, then loses columns: those that are to tell rows apart and do
/// not, spare ones, those with the highest number first, and where it is too wide even with its
/// texts on several lines, all that are the same in every row. Then names are broken after marks,
/// and only then texts and figures are left out that differ, the last first. A note names them.
Layout laid_out(Table& table, const TextStyle& style) {
  Layout layout;
  const auto measure = [&] {
    layout.widths = widths_of(table, layout.form);
    return style.width == 0 || sum_of(layout.widths) <= style.width;
  };
  if (measure()) return layout;
  layout.form = style.ascii ? IntervalForm::in_letters : IntervalForm::percent;
  std::string left_out;
  const auto leave_out = [&](std::size_t column) {
    left_out += (left_out.empty() ? "" : ", ") + table.columns[column].header;
    remove_column(table, column);
  };
  while (!measure()) {
    auto column = constant_column(table, false);
    if (!column) column = most_spare(table.columns);
    if (!column) break;
    leave_out(*column);
  }
  while (!narrow(table, layout, style.width, Break::only_long_words)) {
    const auto constant = constant_column(table, true);
    if (!constant && narrow(table, layout, style.width, Break::after_marks)) break;
    if (table.columns.size() <= 2) break;
    leave_out(constant.value_or(last_text(table)));
    measure();
  }
  if (!left_out.empty())
    table.notes.push_back("left out to fit the terminal: " + left_out +
                          "; all columns with --format csv");
  return layout;
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

/// Writes a row whose cells may take several lines.
template <class Style>
void write_row(const Line& row, const Layout& layout, const std::vector<bool>& to_the_right,
               Style style, std::ostream& out) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool fits = display_width(row[i]) <= layout.widths[i];
    cells.push_back(fits ? std::vector{row[i]} : wrapped(row[i], layout.widths[i]));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t y = 0; y < height; ++y) {
    Line line;
    for (const auto& cell : cells) line.push_back(y < cell.size() ? cell[y] : "");
    out << style(aligned(line, layout.widths, to_the_right)) << '\n';
  }
}

void write_rows(const Table& table, const Layout& layout, const Emphasis& style,
                std::ostream& out) {
  const std::vector<bool> to_the_right = columns_of_figures(table);
  const auto bold = [&](const std::string& line) { return style.bold(line); };
  const auto plain = [](const std::string& line) { return line; };
  write_row(headers_of(table), layout, to_the_right, bold, out);
  out << style.dim(rule(layout.widths)) << '\n';
  table.for_each_row([&](const auto& row) {
    write_row(line_of(row, layout.form), layout, to_the_right, plain, out);
  });
  if (table.is_without_rows()) out << "(none)\n";
}

}  // namespace

void write_text(Table table, TextStyle style, std::ostream& out) {
  const Layout layout = laid_out(table, style);
  const Emphasis emphasis{style.colour};
  const auto write_lines = [&](const std::vector<std::string>& lines, auto emphasized) {
    for (const std::string& text : lines) {
      const std::string line = printable(text, kLongestTextLine);
      for (const std::string& part : style.width > 0
                                         ? wrapped(line, std::max(style.width, kNarrowestText))
                                         : std::vector{line})
        out << emphasized(part) << '\n';
    }
  };
  const auto bold = [&](const std::string& line) { return emphasis.bold(line); };
  const auto plain = [](const std::string& line) { return line; };
  const auto dim = [&](const std::string& line) { return emphasis.dim(line); };
  write_lines(table.answer, bold);
  if (!table.answer.empty()) out << '\n';
  // Where the answer is bold, the title is not.
  if (!table.title.empty()) {
    if (table.answer.empty())
      write_lines({table.title}, bold);
    else
      write_lines({table.title}, plain);
  }
  write_lines(table.before, plain);
  if (!table.columns.empty()) {
    if (!table.title.empty() || !table.before.empty()) out << '\n';
    write_rows(table, layout, emphasis, out);
    if (!table.notes.empty()) out << '\n';
  }
  write_lines(table.notes, dim);
}

}  // namespace lapcast
