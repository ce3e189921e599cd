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
#include <cstddef>
#include <cstring>
#include <sstream>

#include "core/error.h"
#include "core/units.h"
#include "machine/proc_text.h"
#include "toml/toml_tree.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kMostDots = 200;

/// Goes through a TOML text byte by byte and knows what is in quotes or a comment. Up to the first
/// syntax error this is what a parser sees, and a parser goes no further.
class ShapeCheck {
 public:
  ShapeCheck(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  void run() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      check(text_[at_]);
      step(text_[at_]);
    }
  }

 private:
  enum class In { plain, comment, quotes, long_quotes };

  void check(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\r' && c != '\n') || byte == 0x7f) {
      fail("a control character; remove it, or write it as \\uXXXX in quotes");
    }
    if (byte >= 0x80 && in_ == In::plain) fail("a letter outside ASCII; put it in quotes");
    if (byte >= 0x80 && in_ == In::long_quotes) {
      fail("a letter outside ASCII in a text of several lines; write it on one line");
    }
    if (c == '.' && in_ == In::plain && ++dots_ > kMostDots) fail("more than 200 dots in one line");
  }

  void step(char c) {
    switch (in_) {
      case In::plain:
        if (c == '#') in_ = In::comment;
        if (c == '"' || c == '\'') open(c);
        break;
      case In::comment:
        break;
      case In::quotes:
        if (c == '\\' && quote_ == '"') skip(1);
        if (c == quote_) in_ = In::plain;
        break;
      case In::long_quotes:
        if (c == '\\' && quote_ == '"') skip(1);
        if (c == quote_) close_long();
        break;
    }
    if (c == '\n') end_line();
  }

  void open(char quote) {
    if (at_ > 0 && text_[at_ - 1] == '.') {
      fail("a quote behind a dot; write what is before the dot as a table, [in.brackets]");
    }
    if (!begins_a_word(at_)) {
      fail("a quote in the middle of a word; put all of it in quotes");
    }
    quote_ = quote;
    in_ = quotes_here() >= 3 ? In::long_quotes : In::quotes;
    if (in_ == In::long_quotes) at_ += 2;
  }

  char before(std::size_t i) const { return i > 0 ? text_[i - 1] : '\n'; }

  /// Returns whether a parser that has met no error expects a key or a value at i. A broken value
  /// extends to the next blank or comma, whatever signs are in it: A=0q={b='x is one word.
  bool begins_a_word(std::size_t i) const {
    while (true) {
      while (before(i) == '[' || before(i) == '{') --i;
      if (before(i) != '=') return is_one_of(before(i), " \t\r\n,");
      --i;
      while (!is_one_of(before(i), "\n,{")) {
        if (before(i) == '=') return false;
        --i;
      }
      if (before(i) != '{') return true;
      --i;
    }
  }

  static bool is_one_of(char c, std::string_view some) {
    return some.find(c) != std::string_view::npos;
  }

  /// A text of several lines may end in two quotes of its own before the three that close it.
  void close_long() {
    const std::size_t count = quotes_here();
    at_ += (count < 5 ? count : 5) - 1;
    if (count >= 3) in_ = In::plain;
  }

  std::size_t quotes_here() const {
    std::size_t count = 0;
    while (at_ + count < text_.size() && text_[at_ + count] == quote_) ++count;
    return count;
  }

  void skip(std::size_t bytes) {
    const std::size_t next = at_ + bytes;
    if (next < text_.size() && (text_[next] == quote_ || text_[next] == '\\')) at_ = next;
  }

  void end_line() {
    ++line_;
    line_begin_ = at_ + 1;
    dots_ = 0;
    if (in_ != In::long_quotes) in_ = In::plain;  // an open quote ends with its line: an error
  }

  [[noreturn]] void fail(const std::string& what) const {
    fail_at(file_, {line_, static_cast<unsigned>(at_ - line_begin_ + 1)}, what);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  unsigned line_ = 1;
  int dots_ = 0;
  In in_ = In::plain;
  char quote_ = 0;
};

FilePlace place_of(const toml::source_region& source) {
  return {std::max(1u, static_cast<unsigned>(source.begin.line)),
          std::max(1u, static_cast<unsigned>(source.begin.column))};
}

/// Returns the place of the first line that opens a table without a name: "[&".
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

void fail_at(const std::string& file, FilePlace place, const std::string& what) {
  throw Error(ExitCode::bad_input, printable(file) + ":" + std::to_string(place.line) + ":" +
                                       std::to_string(place.column) + ": " + what);
}

void check_toml_shape(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes) fail_at(file, {}, "larger than 1 MiB: this is not a fleet file");
  ShapeCheck(text, file).run();
}

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
