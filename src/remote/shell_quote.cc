#include "remote/shell_quote.h"

#include <algorithm>

#include "core/error.h"

namespace lapcast {
namespace {

bool is_plain_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:,@+").find(c) != std::string_view::npos;
}

/// Within single quotes these mean something to some shell; behind a backslash, outside of quotes,
/// they mean themselves to all.
bool needs_backslash(char c) {
  return c == '\'' || c == '\\' || c == '!';
}

}  // namespace

std::string shell_quote(std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    throw Error(ExitCode::usage, "an argument holds a NUL byte, which no program can be given");
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain_char))
    return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (needs_backslash(c))
      word.append("'\\").append(1, c).append("'");
    else
      word += c;
  }
  return word + "'";
}

std::string shell_command(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    line += shell_quote(argument);
  }
  return line;
}

}  // namespace lapcast
