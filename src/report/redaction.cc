#include "report/redaction.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

namespace lapcast {
namespace {

constexpr std::size_t kLongestText = 4000;  // bytes of a text that a report shows
constexpr std::string_view kSettings = "settings";

/// Returns whether a character may be part of a path or of a host name.
bool is_in_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<signed char>(c) < 0 ||
         std::string_view("._-+~/@%").find(c) != std::string_view::npos;
}

/// Returns the length of the home folder at the start of the text; 0 = there is none.
std::size_t length_of_home(std::string_view text, std::string_view home) {
  std::size_t length = 0;
  for (const std::string_view all : {"/home/", "/Users/"})
    if (text.starts_with(all))
      length = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(all.size()), text.end(),
                            [](char c) { return c == '/' || !is_in_path(c); }) -
               text.begin();
  if (text.starts_with("/root")) length = 5;
  if (home.size() > 1 && text.starts_with(home)) length = std::max(length, home.size());
  const bool is_whole =
      length == text.size() || (length > 0 && (text[length] == '/' || !is_in_path(text[length])));
  return is_whole ? length : 0;
}

/// Cuts the text to a number of bytes, but not within a UTF-8 character.
std::string cut(std::string text) {
  if (text.size() <= kLongestText) return text;
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + " ...";
}

/// Returns the program of a command line without folder and arguments.
std::string without_arguments(const std::string& command) {
  const std::string program = command.substr(0, command.find(' '));
  const std::string name = program.substr(program.rfind('/') + 1);
  return program.size() == command.size() ? name : name + " ...";
}

}  // namespace

std::string with_short_homes(std::string_view text, std::string_view home) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    // An address has slashes before its path: file:///home/ann.
    const bool may_begin = text[at] == '/' && (at == 0 || !is_in_path(text[at - 1]) ||
                                               text[at - 1] == '/' || text[at - 1] == '@');
    const std::size_t length = may_begin ? length_of_home(text.substr(at), home) : 0;
    result += length > 0 ? '~' : text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::string without_folders(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_in_path(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const std::size_t last = word.rfind('/');
    const bool is_path = word.starts_with("/") || word.starts_with("~/") ||
                         word.starts_with("./") || word.starts_with("../");
    result += is_path && last != word.npos ? ".../" + std::string(word.substr(last + 1)) : word;
    if (end < text.size()) result += text[end++];
    at = end;
  }
  return result;
}

Redaction::Redaction(Detail detail, std::string home, std::map<std::string, std::string> names)
    : detail_(detail), home_(std::move(home)), names_(std::move(names)) {
  while (home_.size() > 1 && home_.ends_with('/')) home_.pop_back();
}

void Redaction::apply(nlohmann::ordered_json& value, const std::string& key) const {
  if (value.is_string()) {
    value = shown(std::move(value.get_ref<std::string&>()), key);
  } else if (value.is_array()) {
    for (auto& element : value) apply(element, key);
  } else if (value.is_object()) {
    // Names of settings are chosen by the user: their values have the key of the settings.
    for (auto& [name, member] : value.items()) apply(member, key == kSettings ? key : name);
  }
}

/// Returns the text as the report shows it under the key.
std::string Redaction::shown(std::string text, std::string_view key) const {
  if (detail_ == Detail::full) return cut(std::move(text));
  const bool is_sentence =
      key == "text" || key == "outcome_text" || key == "reason" || key == "what";
  if (key == "host" || is_sentence) text = with_names(std::move(text));
  text = with_short_homes(text, home_);
  if (detail_ == Detail::redacted) {
    if (key == "program" || key == "command") text = without_arguments(text);
    text = without_folders(text);
    // A value is a path as a whole, whatever it begins with.
    if (const std::size_t last = text.rfind('/'); key == kSettings && last != text.npos)
      text = ".../" + text.substr(last + 1);
  }
  return cut(std::move(text));
}

/// Replaces host names that are whole words in the text.
std::string Redaction::with_names(std::string text) const {
  for (const auto& [host, name] : names_) {
    for (std::size_t at = 0; !host.empty() && (at = text.find(host, at)) != text.npos;) {
      const std::size_t end = at + host.size();
      const bool is_word =
          (at == 0 || !is_in_path(text[at - 1])) && (end == text.size() || !is_in_path(text[end]));
      if (is_word) text.replace(at, host.size(), name);
      at += is_word ? name.size() : host.size();
    }
  }
  return text;
}

}  // namespace lapcast
