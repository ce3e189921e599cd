#include "common/command_line.h"

#include <getopt.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <sstream>
#include <utility>

namespace lapcast::workloads {
namespace {

constexpr int kHelp = 'h';
constexpr int kFirstOption = 256;  // above every character: getopt returns characters of its own
constexpr size_t kHelpColumn = 30;
constexpr size_t kHelpWidth = 100;

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || text.empty()) return std::nullopt;
  return value;
}

template <typename Number>
std::string shown(Number value) {
  if (value == Number{}) return "";
  std::ostringstream out;
  out << value;
  return out.str();
}

template <typename Number>
auto take_number(Number& value, Number low, Number high) {
  return [&value, low, high](std::string_view text) -> std::optional<std::string> {
    const std::optional<Number> number = parse_number<Number>(text);
    if (number && *number >= low && *number <= high) {
      value = *number;
      return std::nullopt;
    }
    std::ostringstream range;
    range << "a number from " << low << " to " << high;
    return range.str();
  };
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

/// Appends words to the text and begins a new indented line where a line would become too long.
void append_wrapped(std::string& text, const std::string& words, size_t column) {
  std::istringstream in(words);
  size_t at = column;
  for (std::string word; in >> word; at += word.size() + 1) {
    if (at > column && at + word.size() > kHelpWidth) {
      text.append("\n").append(column, ' ');
      at = column;
    }
    if (at > column) text += ' ';
    text += word;
  }
  text += "\n";
}

}  // namespace

CommandLine::CommandLine(std::string program, std::string about, std::string examples)
    : program_(std::move(program)), about_(std::move(about)), examples_(std::move(examples)) {}

void CommandLine::number(std::string name, int64_t& value, int64_t low, int64_t high,
                         std::string help) {
  options_.push_back({std::move(name), "N", std::move(help), shown(value),
                      take_number<int64_t>(value, low, high)});
}

void CommandLine::count(std::string name, int64_t& value, std::string help) {
  number(std::move(name), value, 1, std::numeric_limits<int32_t>::max(), std::move(help));
}

void CommandLine::seed(std::string name, uint64_t& value, std::string help) {
  options_.push_back({std::move(name), "N", std::move(help), shown(value),
                      take_number<uint64_t>(value, 0, std::numeric_limits<uint64_t>::max())});
}

void CommandLine::real(std::string name, double& value, double low, double high, std::string help) {
  options_.push_back(
      {std::move(name), "X", std::move(help), shown(value), take_number<double>(value, low, high)});
}

void CommandLine::choice(std::string name, std::string& value, std::vector<std::string> choices,
                         std::string help) {
  std::string type = joined(choices, "|");
  const auto take = [&value, choices](std::string_view text) -> std::optional<std::string> {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      return "one of " + joined(choices, ", ");
    }
    value = text;
    return std::nullopt;
  };
  options_.push_back({std::move(name), std::move(type), std::move(help), value, take});
}

void CommandLine::path(std::string name, std::filesystem::path& value, std::string type,
                       std::string help) {
  const auto take = [&value](std::string_view text) -> std::optional<std::string> {
    value = text;
    if (text.empty()) return "a path";
    return std::nullopt;
  };
  options_.push_back({std::move(name), std::move(type), std::move(help), value.string(), take});
}

void CommandLine::text(std::string name, std::string& value, std::string type, std::string help) {
  const auto take = [&value](std::string_view text) -> std::optional<std::string> {
    value = text;
    return std::nullopt;
  };
  options_.push_back({std::move(name), std::move(type), std::move(help), value, take});
}

void CommandLine::flag(std::string name, bool& value, std::string help) {
  const auto take = [&value](std::string_view) -> std::optional<std::string> {
    value = true;
    return std::nullopt;
  };
  options_.push_back({std::move(name), "", std::move(help), "", take});
}

int CommandLine::refuse(std::string_view error) const {
  std::fprintf(stderr, "%s: %.*s; see %s --help\n", program_.c_str(),
               static_cast<int>(error.size()), error.data(), program_.c_str());
  return 2;
}

int CommandLine::parse(int argc, char** argv) const {
  std::vector<option> known;
  for (size_t i = 0; i < options_.size(); ++i) {
    const int takes_value = options_[i].type.empty() ? no_argument : required_argument;
    known.push_back(
        {options_[i].name.c_str(), takes_value, nullptr, kFirstOption + static_cast<int>(i)});
  }
  known.push_back({"help", no_argument, nullptr, kHelp});
  known.push_back({nullptr, 0, nullptr, 0});

  opterr = 0;
  optind = 0;  // Restarts getopt, which may have parsed another command line before.
  for (int found; (found = getopt_long(argc, argv, ":h", known.data(), nullptr)) != -1;) {
    if (found == kHelp) {
      std::fputs(help().c_str(), stdout);
      return 0;
    }
    const std::string word = argv[std::max(optind - 1, 1)];
    if (found == ':') return refuse(word + " needs a value");
    if (found == '?') return refuse("no such option, or not in this form: " + word);
    const Option& option = options_[static_cast<size_t>(found - kFirstOption)];
    const std::string_view value = optarg ? optarg : "";
    if (const auto expected = option.take(value)) {
      return refuse("--" + option.name + " " + std::string(value) + ": must be " + *expected);
    }
  }
  if (optind < argc) return refuse("not an option: " + std::string(argv[optind]));
  return -1;
}

std::string CommandLine::help() const {
  std::string text;
  append_wrapped(text, about_, 0);
  text += "\nUsage: " + program_ + " [OPTIONS]\n\nOptions:\n";
  for (const Option& option : options_) {
    std::string left = "  --" + option.name + (option.type.empty() ? "" : " " + option.type);
    if (left.size() + 2 > kHelpColumn) {
      left.append("\n").append(kHelpColumn, ' ');
    } else {
      left.append(kHelpColumn - left.size(), ' ');
    }
    text += left;
    const std::string& value = option.shown_default;
    append_wrapped(text, option.help + (value.empty() ? "" : " (default: " + value + ")"),
                   kHelpColumn);
  }
  text += "  -h, --help" + std::string(kHelpColumn - 12, ' ') + "Print this and end\n";
  if (!examples_.empty()) text += "\nExamples:\n" + examples_;
  return text;
}

}  // namespace lapcast::workloads
