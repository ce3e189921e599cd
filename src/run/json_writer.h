#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/money.h"
#include "core/units.h"
#include "run/text_bytes.h"

namespace lapcast {

/// Is satisfied if T is `Of` or `const Of`, so that one fields function both reads and writes a
/// type.
template <class T, class Of>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Of>;

/// Writes the members of a struct to a JSON object. A fields function (as in run/run_json.cc) calls
/// the writer with the key and the member of each of them. An absent optional and a double that is
/// not finite are left out. Text becomes {"base64": ...} when it is not UTF-8, or when it is above
/// 4 KiB and shorter that way. `Writer` derives from this class and adds a to_node() for each type
/// of its own. Include this file only in .cc files that write JSON: the library behind it is large.
template <class Writer>
class JsonWriter {
 public:
  using Node = nlohmann::ordered_json;

  template <class T>
  void operator()(const char* key, const T& value) {
    if (Node node = Writer::to_node(value); !node.is_null()) object_[key] = std::move(node);
  }
  template <class T>
  void required(const char* key, const T& value) {  // JsonReader refuses an object without it
    (*this)(key, value);
  }
  /// Writes a value only when it is true.
  void when_true(const char* key, bool truth) {
    if (truth) object_[key] = true;
  }
  Node take() { return std::move(object_); }

  /// Returns the object of a value, whose members `fields` names.
  template <class Fields, class T>
  static Node object_of(Fields fields, const T& value) {
    Writer writer;
    fields(writer, value);
    return writer.take();
  }

  /// Returns whether a text is written as it is, and not in base64.
  static bool stays_text(const std::string& text) {
    constexpr std::size_t kShort = 4096;  // shorter text stays readable, however long it gets
    const bool is_short = text.size() <= kShort || json_size(text) <= base64_size(text.size());
    return is_short && is_utf8(text);
  }
  static Node to_node(const std::string& text) {
    if (stays_text(text)) return text;
    return Node::object({{"base64", to_base64(text)}});
  }
  static Node to_node(std::int64_t number) { return number; }
  static Node to_node(int number) { return number; }
  static Node to_node(bool truth) { return truth; }
  static Node to_node(double number) { return std::isfinite(number) ? Node(number) : Node(); }
  static Node to_node(Seconds time) { return to_node(time.count()); }
  static Node to_node(Money amount) { return exact_decimal(amount); }
  template <class T>
  static Node to_node(const std::optional<T>& value) {
    return value ? Writer::to_node(*value) : Node();
  }
  template <class T>
  static Node to_node(const std::vector<T>& values) {
    Node list = Node::array();
    for (const T& value : values) list.push_back(Writer::to_node(value));
    return list;
  }
  /// Returns a map as an object, or as a list of [key, value] when a key is not UTF-8, because JSON
  /// keys must be UTF-8.
  static Node to_node(const std::map<std::string, std::string>& map) {
    const bool keys_fit =
        std::all_of(map.begin(), map.end(), [](const auto& entry) { return is_utf8(entry.first); });
    Node node = keys_fit ? Node::object() : Node::array();
    for (const auto& [key, value] : map) {
      if (keys_fit) {
        node[key] = to_node(value);
      } else {
        node.push_back(Node::array({to_node(key), to_node(value)}));
      }
    }
    return node;
  }

 private:
  Node object_ = Node::object();
};

}  // namespace lapcast
