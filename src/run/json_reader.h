#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "core/units.h"
#include "run/text_bytes.h"

namespace lapcast {

/// Says what is wrong with a JSON value, worded to follow its name: ".cpus[2] is not a number".
/// Empty = nothing is wrong.
using JsonProblem = std::string;

/// Reads the members of a struct from a JSON object. A fields function (as in run/run_json.cc)
/// calls the reader with the key and the member of each of them. A key that the object lacks leaves
/// its member unchanged, or is a problem where it is required(); after the first problem nothing
/// more is read. `Reader` derives from this class, adds a read() for each type of its own, and may
/// replace one of these by a stricter one. Include this file only in .cc files that read JSON: the
/// library behind it is large.
template <class Reader>
class JsonReader {
 public:
  using Node = nlohmann::json;

  /// Takes the object to read from, which must outlive the reader.
  explicit JsonReader(const Node& object) : object_(object) {
    if (!object.is_object()) problem_ = " is not an object";
  }
  template <class T>
  void operator()(const char* key, T& value) {
    member(key, value, false);
  }
  template <class T>
  void required(const char* key, T& value) {
    member(key, value, true);
  }
  /// Reads a bool that JsonWriter writes only when it is true.
  void when_true(const char* key, bool& truth) { member(key, truth, false); }
  /// Records a problem, unless there was one before.
  void refuse(const JsonProblem& problem) {
    if (problem_.empty()) problem_ = problem;
  }
  /// Returns the first problem; empty = there was none.
  JsonProblem take() { return std::move(problem_); }

  /// Reads an object into `value`, whose members `fields` names.
  template <class Fields, class T>
  static JsonProblem read_object(const Node& node, Fields fields, T& value) {
    Reader reader(node);
    fields(reader, value);
    return reader.take();
  }
  /// Reads a text and sets `value` to the value of the (name, value) pair with this name.
  template <class Names, class T>
  static JsonProblem read_name(const Node& node, const Names& names, T& value) {
    std::string text;
    if (JsonProblem problem = read(node, text); !problem.empty()) return problem;
    for (const auto& [name, named] : names) {
      if (text != name) continue;
      value = named;
      return "";
    }
    return unknown("", text);
  }
  /// Returns the problem of a name that is not allowed.
  static JsonProblem unknown(const char* member, const std::string& name) {
    return fmt::format("{} is '{}', which this version does not know", member, printable(name, 40));
  }

  // Each read() sets its argument, or returns a problem and leaves it in any state.

  static JsonProblem read(const Node& node, std::string& text) {
    if (node.is_string()) {
      text = node.get_ref<const std::string&>();
      return "";
    }
    const bool encoded = node.is_object() && node.size() == 1 && node.contains("base64");
    if (!encoded || !node["base64"].is_string()) return " is not text";
    auto bytes = from_base64(node["base64"].get_ref<const std::string&>());
    if (!bytes) return ".base64 is not base64";
    text = std::move(*bytes);
    return "";
  }
  static JsonProblem read(const Node& node, std::int64_t& number) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool fits =
        node.is_number_unsigned() ? node.get<std::uint64_t>() <= kMost : node.is_number_integer();
    if (!fits) return " is not a whole number of 64 bits";
    number = node.get<std::int64_t>();
    return "";
  }
  static JsonProblem read(const Node& node, int& number) {
    std::int64_t wide = 0;
    if (JsonProblem problem = read(node, wide); !problem.empty()) return problem;
    if (wide != static_cast<int>(wide)) return " is not a whole number of 32 bits";
    number = static_cast<int>(wide);
    return "";
  }
  static JsonProblem read(const Node& node, bool& truth) {
    if (!node.is_boolean()) return " is not true or false";
    truth = node.get<bool>();
    return "";
  }
  static JsonProblem read(const Node& node, double& number) {
    if (!node.is_number()) return " is not a number";
    number = node.get<double>();
    return "";
  }
  static JsonProblem read(const Node& node, Seconds& time) {
    double seconds = 0;
    JsonProblem problem = Reader::read(node, seconds);
    if (problem.empty()) time = Seconds{seconds};
    return problem;
  }
  static JsonProblem read(const Node& node, Money& amount) {
    std::string text;
    if (JsonProblem problem = read(node, text); !problem.empty()) return problem;
    try {
      amount = Money::parse(text);
      return "";
    } catch (const Error&) {
      return fmt::format(" is '{}', not an amount like \"0.0425\"", printable(text, 40));
    }
  }
  template <class T>
  static JsonProblem read(const Node& node, std::optional<T>& value) {
    return Reader::read(node, value.emplace());
  }
  template <class T>
  static JsonProblem read(const Node& node, std::vector<T>& values) {
    if (!node.is_array()) return " is not a list";
    values.clear();
    values.reserve(node.size());
    for (const Node& item : node) {
      const JsonProblem problem = Reader::read(item, values.emplace_back());
      if (!problem.empty()) return fmt::format("[{}]{}", values.size() - 1, problem);
    }
    return "";
  }
  /// Reads a map as JsonWriter writes it: an object, or a list of [key, value].
  static JsonProblem read(const Node& node, std::map<std::string, std::string>& map) {
    if (!node.is_structured()) return " is not an object of texts";
    map.clear();
    for (const auto& [key, value] : node.items()) {
      const JsonProblem problem =
          node.is_array() ? read_pair(value, map) : read(value, map[std::string(key)]);
      if (!problem.empty()) return fmt::format("['{}']{}", printable(key, 40), problem);
    }
    return "";
  }

 private:
  static JsonProblem read_pair(const Node& node, std::map<std::string, std::string>& map) {
    if (!node.is_array() || node.size() != 2) return " is not a pair of texts";
    std::string key;
    if (JsonProblem problem = read(node[0], key); !problem.empty()) return "[0]" + problem;
    JsonProblem problem = read(node[1], map[key]);
    return problem.empty() ? problem : "[1]" + problem;
  }
  template <class T>
  void member(const char* key, T& value, bool required) {
    if (!problem_.empty()) return;
    const auto found = object_.find(key);
    if (found != object_.end()) {
      const JsonProblem problem = Reader::read(*found, value);
      if (!problem.empty()) problem_ = fmt::format(".{}{}", key, problem);
    } else if (required) {
      problem_ = fmt::format(".{} is missing", key);
    }
  }

  const Node& object_;
  JsonProblem problem_;
};

}  // namespace lapcast
