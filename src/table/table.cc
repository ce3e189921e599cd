#include "table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/display_width.h"
#include "core/error.h"
#include "core/units.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

constexpr std::pair<std::string_view, Format> kFormats[] = {{"table", Format::table},
                                                            {"csv", Format::csv},
                                                            {"json", Format::json},
                                                            {"jsonl", Format::jsonl},
                                                            {"markdown", Format::markdown}};

bool is_empty(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return text->empty();
  if (const auto* settings = std::get_if<Settings>(&cell)) return settings->text.empty();
  return std::holds_alternative<std::monostate>(cell);
}

/// Removes the columns that people do not see: those without a header, and optional ones that are
/// empty in every row.
void remove_unseen_columns(Table& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;)
    if (table.columns[i].header.empty() ||
        (table.columns[i].traits.optional &&
         !table.any_row([i](const auto& row) { return !is_empty(row[i]); })))
      remove_column(table, i);
}

void remove_columns_without_key(Table& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;)
    if (table.columns[i].key.empty()) remove_column(table, i);
}

/// Gives a table of figures its columns and rows.
void lay_out_figures(Table& table, bool for_people) {
  if (table.figures.empty()) return;
  if (for_people)
    table.columns = {{"", "figure"}, {"", "value"}, {"", "how it was found"}};
  else
    table.rows.emplace_back();
  for (const Figure& figure : table.figures) {
    if (for_people && !figure.name.empty())
      table.rows.push_back({figure.name, figure.value, figure.how});
    if (for_people || figure.key.empty()) continue;
    table.columns.push_back({figure.key, figure.name});
    table.rows.front().push_back(figure.value);
  }
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  if (std::abs(value) >= 1e15) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, decimals);
}

/// Returns the amount without "$".
std::string amount_text(Money amount) {
  std::string text = dollar_text(amount);
  text.erase(text.find('$'), 1);
  return text;
}

/// Returns " s" for "12.3 s"; empty for "4 min 12 s" and for text without a unit.
std::string_view unit_of(std::string_view text) {
  const std::size_t space = text.find(' ');
  return space != text.npos && space == text.rfind(' ') ? text.substr(space) : "";
}

std::string in_bounds(const std::string& mid, const std::string& low, const std::string& high) {
  const bool plain = low.find(' ') == low.npos && high.find(' ') == high.npos;
  const char* const dash = plain && !low.starts_with('-') ? "-" : " to ";
  return fmt::format("{} ({}{}{})", mid, low, dash, high);
}

/// Holds how far the bounds of an interval are from its middle, as shares of it.
struct RelativeErrors {
  double below = 0;
  double above = 0;

  template <class T>
  explicit RelativeErrors(const Interval<T>& interval) {
    const double mid = number(interval.mid);
    below = 1 - number(interval.low) / mid;
    above = number(interval.high) / mid - 1;
  }
  double larger() const { return std::max(below, above); }
  /// Returns whether one number in percent stands for both.
  bool are_alike() const { return larger() <= 0.1 || std::abs(above - below) <= 0.15 * larger(); }

 private:
  static double number(double value) { return value; }
  static double number(Seconds value) { return value.count(); }
  static double number(Money value) { return value.dollars(); }
};

/// Makes the text of each kind of cell for people.
struct ForPeople {
  IntervalForm form = IntervalForm::bounds;

  /// Returns "12.3 s ±4 %" or "12.3 s -30/+50 %", where the form asks for it and the errors are
  /// known.
  template <class T>
  std::optional<std::string> in_percent(const std::string& mid, const Interval<T>& interval) const {
    const RelativeErrors errors(interval);
    const double larger = errors.larger();
    const bool are_known = errors.below >= 0 && errors.above >= 0 && larger < 10;
    if (form == IntervalForm::bounds || !are_known) return std::nullopt;
    if (!errors.are_alike())
      return fmt::format("{} -{:.0f}/+{:.0f} %", mid, 100 * errors.below, 100 * errors.above);
    const char* const sign = form == IntervalForm::percent ? "\u00B1" : "+-";
    return fmt::format("{} {}{:.{}f} %", mid, sign, 100 * larger, larger < 0.00995 ? 1 : 0);
  }

  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::int64_t count) const { return fmt::format("{}", count); }
  std::string operator()(bool truth) const { return truth ? "yes" : "no"; }
  std::string operator()(const Number& n) const {
    return fixed(n.value, n.decimals < 0 ? decimals_for(n.value) : n.decimals);
  }
  std::string operator()(const Percentage& share) const {
    return std::isfinite(share.value) ? format_share(share.value) : "-";
  }
  std::string operator()(const Chance& chance) const { return format_chance(chance.value); }
  std::string operator()(const Bytes& size) const { return format_bytes(size.count); }
  std::string operator()(const Mark& mark) const { return mark.is_set ? "*" : ""; }
  std::string operator()(const Settings& settings) const { return settings.text; }
  std::string operator()(Seconds time) const {
    return std::isnan(time.count()) ? "-" : format_duration(time);
  }
  std::string operator()(Money amount) const { return dollar_text(amount); }
  std::string operator()(const Interval<Seconds>& time) const {
    std::string mid = format_duration(time.mid);
    if (time.low == time.high) return mid;
    if (auto text = in_percent(mid, time)) return *std::move(text);
    std::string low = format_duration(time.low);
    std::string high = format_duration(time.high);
    const std::string_view unit = unit_of(mid);
    if (!unit.empty() && unit == unit_of(low) && unit == unit_of(high)) {
      low.resize(low.size() - unit.size());
      high.resize(high.size() - unit.size());
    }
    return in_bounds(mid, low, high);
  }
  std::string operator()(const Interval<Money>& cost) const {
    const std::string mid = dollar_text(cost.mid);
    if (cost.low == cost.high) return mid;
    if (auto text = in_percent(mid, cost)) return *std::move(text);
    return in_bounds(mid, amount_text(cost.low), amount_text(cost.high));
  }
  std::string operator()(const Interval<double>& number) const {
    const int decimals = decimals_for(number.mid);
    const std::string mid = fixed(number.mid, decimals);
    if (number.low == number.high) return mid;
    if (auto text = in_percent(mid, number)) return *std::move(text);
    if (std::isinf(number.high))
      return fmt::format("{} ({} or more)", mid, fixed(number.low, decimals));
    return in_bounds(mid, fixed(number.low, decimals), fixed(number.high, decimals));
  }
};

constexpr std::size_t kLongestLine = 2000;

/// Returns the text with a backslash before each character that has a meaning within a line of
/// GitHub's Markdown.
std::string escaped(std::string_view text, std::size_t longest) {
  std::string result;
  for (const char c : printable(with_visible_marks(text), longest)) {
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
  table.for_each_row([&](const auto& row) {
    for (const Cell& cell : row) out << "| " << escaped(for_people(cell), 200) << ' ';
    out << "|\n";
  });
}

}  // namespace

/// Applies a change to each row that make_row() makes.
template <class Change>
static void change_made_rows(Table& table, Change change) {
  if (table.made_rows == 0) return;
  table.make_row = [make = std::move(table.make_row), change](std::size_t i) {
    std::vector<Cell> row = make(i);
    change(row);
    return row;
  };
}

void remove_column(Table& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
  change_made_rows(table, [at](std::vector<Cell>& row) { row.erase(row.begin() + at); });
}

Format parse_format(std::string_view name) {
  for (const auto& [known, format] : kFormats)
    if (name == known) return format;
  throw Error(ExitCode::usage, fmt::format("unknown format '{}'; choose one of table, csv, json, "
                                           "jsonl, markdown",
                                           printable(name, 40)));
}

Table figure_table(std::string name, std::string title, std::vector<Figure> figures) {
  return {.title = std::move(title),
          .name = std::move(name),
          .shape = Shape::record,
          .figures = std::move(figures)};
}

Table json_record(std::string name, std::vector<Figure> figures) {
  Table table = figure_table(std::move(name), "", std::move(figures));
  table.only_json = true;
  return table;
}

void add_first_column(Table& table, Column column, const Cell& value) {
  table.columns.insert(table.columns.begin(), std::move(column));
  for (auto& row : table.rows) row.insert(row.begin(), value);
  change_made_rows(table, [value](std::vector<Cell>& row) { row.insert(row.begin(), value); });
}

void write(std::vector<Table> tables, Format format, TextStyle style, std::ostream& out,
           std::string_view command) {
  const bool for_people = format == Format::table || format == Format::markdown;
  const bool is_json = format == Format::json || format == Format::jsonl;
  std::erase_if(tables,
                [&](const Table& table) { return is_json ? table.name.empty() : table.only_json; });
  for (Table& table : tables) {
    lay_out_figures(table, for_people);
    for (auto& row : table.rows) row.resize(table.columns.size());
    if (for_people) {
      remove_unseen_columns(table);
      table.notes.insert(table.notes.begin(), table.after.begin(), table.after.end());
      for (const std::string& line : table.warnings) table.notes.push_back("warning: " + line);
    } else {
      remove_columns_without_key(table);
    }
  }
  if (format == Format::json) return write_json(command, tables, out);
  for (const Table& table : tables) {
    if (format == Format::jsonl) {
      write_jsonl(table, out);
      continue;
    }
    if (&table != &tables.front()) out << '\n';
    if (format == Format::table) write_text(table, style, out);
    if (format == Format::markdown) write_markdown(table, out);
    if (format == Format::csv) write_csv(table, out);
  }
}

std::string json_text(std::vector<Table> tables, std::string_view command) {
  std::ostringstream text;
  write(std::move(tables), Format::json, {}, text, command);
  return std::move(text).str();
}

std::string for_people(const Cell& cell, IntervalForm form) {
  return std::visit(ForPeople{form}, cell);
}

std::vector<bool> columns_of_figures(const Table& table) {
  const auto is_text = [](const Cell& cell) {
    return std::holds_alternative<std::string>(cell) || std::holds_alternative<bool>(cell) ||
           std::holds_alternative<Mark>(cell) || std::holds_alternative<Settings>(cell);
  };
  std::vector<bool> texts(table.columns.size()), figures(table.columns.size());
  table.for_each_row([&](const auto& row) {
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (is_text(row[i]))
        texts[i] = true;
      else if (!std::holds_alternative<std::monostate>(row[i]))
        figures[i] = true;
  });
  for (std::size_t i = 0; i < texts.size(); ++i) figures[i] = figures[i] && !texts[i];
  return figures;
}

void write_markdown(const Table& table, std::ostream& out) {
  const char* between = "";
  const auto paragraph = [&] { out << between, between = "\n"; };
  for (const std::string& line : table.answer) {
    paragraph();
    out << "**" << escaped_line(line) << "**\n";
  }
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
