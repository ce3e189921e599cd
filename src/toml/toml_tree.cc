// The library states what it relies on with assertions that some malformed files break (its issue
// 294); in a release build the compiler may then do anything. Here they throw in every build.
#undef NDEBUG
#define TOML_ASSERT(expr) lapcast::assume(static_cast<bool>(expr))
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16  // a fleet file has 3; deeper ones would only use up the stack

namespace lapcast {
namespace {
struct BrokenAssumption {};
constexpr void assume(bool holds) {
  if (!holds) throw BrokenAssumption();
}
}  // namespace
}  // namespace lapcast

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <sstream>

#include "core/error.h"
#include "core/units.h"
#include "machine/proc_text.h"
#include "toml/toml_shape.h"
#include "toml/toml_tree.h"

namespace lapcast {
namespace {

FilePlace place_of(const toml::source_region& source) {
  return {std::max(1u, static_cast<unsigned>(source.begin.line)),
          std::max(1u, static_cast<unsigned>(source.begin.column))};
}

/// Where the first line is that opens a table without a name: "[&".
FilePlace first_bad_header(std::string_view text) {
  FilePlace place;
  for (std::size_t begin = 0; begin < text.size(); ++place.line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view rest = trimmed(text.substr(begin, end - begin));
    if (rest.starts_with('[')) {
      rest.remove_prefix(rest.starts_with("[[") ? 2 : 1);
      rest = trimmed(rest);
      const char c = rest.empty() ? ' ' : rest.front();
      if (!std::isalnum(static_cast<unsigned char>(c)) && !std::strchr("_-\"'", c)) return place;
    }
    begin = end + 1;
  }
  return {};
}

std::string decimal(double number) {
  std::array<char, 512> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::to_string(number);
}

template <class T>
std::string streamed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TomlNode convert(const toml::node& node, const std::string& file, int depth = 0) {
  constexpr int kMostDepth = 8;
  TomlNode result;
  result.place = place_of(node.source());
  if (depth > kMostDepth) fail_at(file, result.place, "nested too deeply");
  using Kind = TomlNode::Kind;
  if (const auto* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      result.keys.push_back(
          {std::string(key.str()), place_of(key.source()), convert(value, file, depth + 1)});
    }
    return result;
  }
  if (const auto* list = node.as_array()) {
    result.kind = Kind::list;
    for (const auto& item : *list) result.items.push_back(convert(item, file, depth + 1));
    return result;
  }
  const auto is = [&result](Kind kind, std::string text) {
    result.kind = kind;
    result.text = std::move(text);
    return result;
  };
  if (const auto* text = node.as_string()) return is(Kind::text, text->get());
  if (const auto* number = node.as_integer())
    return is(Kind::number, std::to_string(number->get()));
  if (const auto* number = node.as_floating_point())
    return is(Kind::number, decimal(number->get()));
  if (const auto* flag = node.as_boolean())
    return is(Kind::boolean, flag->get() ? "true" : "false");
  if (const auto* date = node.as_date()) return is(Kind::date, streamed(date->get()));
  return is(Kind::date, "a time");
}

}  // namespace

const TomlNode::Key* TomlNode::find(std::string_view name) const {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [name](const Key& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

std::string_view kind_name(TomlNode::Kind kind) {
  constexpr std::array<std::string_view, 6> kNames{"text",   "a number", "true or false",
                                                   "a date", "a list",   "a table"};
  return kNames[static_cast<std::size_t>(kind)];
}

TomlNode parse_toml(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  check_toml_shape(text, file);
  try {
    return convert(toml::parse(text), file);
  } catch (const toml::parse_error& error) {
    fail_at(file, place_of(error.source()), printable(error.description()));
  } catch (const BrokenAssumption&) {
    fail_at(file, first_bad_header(text), "not TOML; a table is written as [name] or [[name]]");
  }
}

}  // namespace lapcast
