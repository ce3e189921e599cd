// This file has the formats for machines: CSV, JSON and JSON Lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "run/text_bytes.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

/// Holds a value of the machine formats. One that is empty and not quoted stands for nothing.
struct PlainValue {
  std::string text;
  bool quoted = false;    // It is a text, not a figure or a truth value.
  std::string json = {};  // what JSON has in its place; empty = the same
};

/// Returns a JSON text; bytes that are not UTF-8 become U+FFFD.
std::string json_string(const std::string& text) {
  using nlohmann::json;
  return escaped_controls(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Returns the JSON of a setting's value: a number where it is written as one that a double holds.
std::string setting_value(const std::string& text) {
  constexpr std::size_t kMostDigits = 15;
  if (text.size() > kMostDigits) return json_string(text);
  const auto value = nlohmann::json::parse(text, nullptr, false);
  return value.is_number() ? value.dump() : json_string(text);
}

/// Returns the object of settings such as "batch=128 lr=0.1"; a word without "=" belongs to the
/// value before it.
std::string settings_object(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> settings;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ' ');) {
    const std::size_t at = word.find('=');
    if (at != word.npos)
      settings.emplace_back(word.substr(0, at), word.substr(at + 1));
    else if (!settings.empty())
      settings.back().second += ' ' + word;
  }
  std::vector<std::string> members;
  for (const auto& [name, value] : settings)
    members.push_back(fmt::format("{}: {}", json_string(name), setting_value(value)));
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

/// Makes plain values: for a figure, the shortest digits that read back the same, or nothing if it
/// is not finite.
struct Plain {
  PlainValue operator()(std::monostate) const { return {}; }
  PlainValue operator()(const std::string& text) const { return {text, true}; }
  PlainValue operator()(std::int64_t n) const { return {fmt::format("{}", n)}; }
  PlainValue operator()(bool truth) const { return {truth ? "true" : "false"}; }
  PlainValue operator()(double value) const {
    return {std::isfinite(value) ? fmt::format("{}", value) : ""};
  }
  PlainValue operator()(const Number& n) const { return (*this)(n.value); }
  PlainValue operator()(const Percentage& share) const { return (*this)(share.value); }
  PlainValue operator()(const Chance& chance) const { return (*this)(chance.value); }
  PlainValue operator()(const Bytes& size) const { return (*this)(size.count); }
  PlainValue operator()(const Mark& mark) const { return (*this)(mark.is_set); }
  PlainValue operator()(const Settings& settings) const {
    return {settings.text, true, settings_object(settings.text)};
  }
  PlainValue operator()(Seconds time) const { return (*this)(time.count()); }
  PlainValue operator()(Money amount) const { return {exact_decimal(amount)}; }
};

bool is_interval(const Cell& cell) {
  return std::visit(
      [](const auto& value) {
        return requires {
          value.mid;
        };
      },
      cell);
}

/// Returns the value of a cell, or the middle, low and high value of an interval.
std::vector<PlainValue> values_of_cell(const Cell& cell) {
  const auto values = [](const auto& value) -> std::vector<PlainValue> {
    if constexpr (requires { value.mid; })
      return {Plain{}(value.mid), Plain{}(value.low), Plain{}(value.high)};
    else
      return {Plain{}(value)};
  };
  return std::visit(values, cell);
}

/// Holds the rows of a table as the machine formats have them.
struct PlainTable {
  std::vector<std::string> keys;
  std::vector<bool> bounds;  // of each column: whether it has KEY_low and KEY_high

  explicit PlainTable(const Table& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      keys.push_back(column.key);
      bounds.push_back(column.traits.bounds || std::ranges::any_of(table.rows, [i](auto& row) {
                         return is_interval(row[i]);
                       }));
      if (bounds[i]) keys.insert(keys.end(), {column.key + "_low", column.key + "_high"});
    }
  }
  /// Returns the values of a row, one for each key.
  std::vector<PlainValue> values(const std::vector<Cell>& row) const {
    std::vector<PlainValue> values;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::vector<PlainValue> cell = values_of_cell(row[i]);
      cell.resize(bounds[i] ? 3 : 1);
      values.insert(values.end(), cell.begin(), cell.end());
    }
    return values;
  }
};

/// Returns one line without terminal control. A text that a spreadsheet would take for a formula
/// (OWASP, "CSV injection") gets an apostrophe in front, which spreadsheets do not show.
std::string safe(const std::string& text) {
  const bool formula = text.find_first_of("=+-@\t\r") == 0;
  return (formula ? "'" : "") + printable(text, text.size() + 1);
}

std::string csv_text(const std::string& text) {
  const std::string field = safe(text);
  if (field.find_first_of(",\"\n ") == field.npos) return field;
  std::string result = "\"";
  for (const char c : field) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

/// Returns figures as their digits, so that amounts stay exact.
std::string json_value(const PlainValue& value) {
  if (!value.json.empty()) return value.json;
  if (value.quoted) return json_string(value.text);
  return value.text.empty() ? "null" : value.text;
}

/// Calls the function with each row as an object on one line, whose first member is `first` if that
/// is not empty, and with the row itself.
template <class Function>
void for_each_object(const Table& table, const std::string& first, Function function) {
  const PlainTable plain(table);
  std::vector<std::string> keys;
  for (const std::string& key : plain.keys) keys.push_back(json_string(key));
  table.for_each_row([&](const std::vector<Cell>& row) {
    const std::vector<PlainValue> values = plain.values(row);
    std::string members = first;
    for (std::size_t i = 0; i < values.size(); ++i)
      members +=
          fmt::format("{}{}: {}", members.empty() ? "" : ", ", keys[i], json_value(values[i]));
    function(fmt::format("{{{}}}", members), row);
  });
}

/// Writes elements between brackets, each on a line of its own.
class ElementWriter {
 public:
  ElementWriter(std::ostream& out, char open, char close) : out_(out), close_(close) {
    out_ << open;
  }
  void add(std::string_view element) {
    out_ << (any_ ? ",\n    " : "\n    ") << element;
    any_ = true;
  }
  void end() { out_ << (any_ ? "\n  " : "") << close_; }

 private:
  std::ostream& out_;
  char close_;
  bool any_ = false;
};

/// Writes what JSON makes of all tables of one name.
void write_member(std::span<const Table* const> tables, std::ostream& out) {
  const Shape shape = tables.front()->shape;
  if (shape == Shape::record) {
    std::string first;
    for (const Table* table : tables)
      for_each_object(*table, "", [&](const std::string& object, const auto&) {
        if (first.empty()) first = object;
      });
    out << (first.empty() ? "{}" : first);
    return;
  }
  const bool is_keyed = shape == Shape::keyed;
  ElementWriter elements(out, is_keyed ? '{' : '[', is_keyed ? '}' : ']');
  for (const Table* table : tables)
    for_each_object(*table, "", [&](const std::string& object, const auto& row) {
      const auto name = [&] { return json_string(values_of_cell(row[0])[0].text); };
      elements.add(table->shape == Shape::keyed ? fmt::format("{}: {}", name(), object) : object);
    });
  elements.end();
}

/// Returns a note or a warning of a table as an object.
std::string json_note(const Table& table, std::string_view kind, const std::string& text) {
  return fmt::format("{{\"about\": {}, \"kind\": \"{}\", \"text\": {}}}", json_string(table.name),
                     kind, json_string(text));
}

}  // namespace

void write_csv(const Table& table, std::ostream& out) {
  const PlainTable plain(table);
  std::vector<std::string> fields;
  const auto write_line = [&] {
    out << fmt::format("{}\n", fmt::join(fields, ","));
    fields.clear();
  };
  for (const std::string& key : plain.keys) fields.push_back(csv_text(key));
  write_line();
  table.for_each_row([&](const std::vector<Cell>& row) {
    for (const PlainValue& value : plain.values(row))
      fields.push_back(value.quoted ? csv_text(value.text) : value.text);
    write_line();
  });
}

void write_json(std::string_view command, const std::vector<Table>& tables, std::ostream& out) {
  std::vector<std::vector<const Table*>> members;  // the tables of each name
  for (const Table& table : tables) {
    const auto found = std::ranges::find(members, table.name, [](auto& m) { return m[0]->name; });
    (found == members.end() ? members.emplace_back() : *found).push_back(&table);
  }
  out << fmt::format("{{\n  \"schema\": {},\n  \"command\": {}", kJsonSchema,
                     json_string(std::string(command)));
  for (const auto& member : members) {
    out << fmt::format(",\n  {}: ", json_string(member.front()->name));
    write_member(member, out);
  }
  out << ",\n  \"notes\": ";
  ElementWriter notes(out, '[', ']');
  for (const Table& table : tables) {
    for (const std::string& note : table.notes) notes.add(json_note(table, "note", note));
    for (const std::string& line : table.warnings) notes.add(json_note(table, "warning", line));
  }
  notes.end();
  out << "\n}\n";
}

void write_jsonl(const Table& table, std::ostream& out) {
  for_each_object(table, "\"table\": " + json_string(table.name),
                  [&](const std::string& object, const auto&) { out << object << '\n'; });
}

}  // namespace lapcast
