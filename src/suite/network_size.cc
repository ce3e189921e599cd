#include "suite/network_size.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kMostDepth = 4;  // the object has 3
constexpr std::size_t kMostLayers = 10'000;
// Products of two such amounts and a few bytes stay within 64 bits.
constexpr std::int64_t kMostNumbers = 1'000'000'000'000;
constexpr std::int64_t kMostWork = 1'000'000'000'000'000;
constexpr std::int64_t kMostBatch = 1'000'000;

/// The members of an object; remembers the first that is not as it should be.
class Members {
 public:
  Members(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) problem_ = (where_.empty() ? "it" : where_) + " is not an object";
  }

  std::string text(const char* name) {
    const json* value = find(name);
    if (value == nullptr) return "";
    if (!value->is_string()) return fail(name, "is not text"), "";
    return printable(value->get_ref<const std::string&>(), 100);
  }
  std::int64_t count(const char* name, std::int64_t most) {
    const json* value = find(name);
    if (value == nullptr) return 0;
    const bool whole = value->is_number_unsigned();
    if (!whole || value->get<std::uint64_t>() > static_cast<std::uint64_t>(most))
      return fail(name, fmt::format("is not a whole number from 0 to {}", most)), 0;
    return value->get<std::int64_t>();
  }
  const json* list(const char* name) {
    const json* value = find(name);
    if (value != nullptr && !value->is_array()) fail(name, "is not a list");
    return value != nullptr && value->is_array() ? value : nullptr;
  }
  const std::string& problem() const { return problem_; }

 private:
  const json* find(const char* name) {
    const auto member = object_.is_object() ? object_.find(name) : object_.end();
    if (object_.is_object() && member != object_.end()) return &*member;
    fail(name, "is missing");
    return nullptr;
  }
  void fail(const char* name, const std::string& what) {
    if (problem_.empty())
      problem_ = fmt::format("{}{}{} {}", where_, where_.empty() ? "" : ".", name, what);
  }

  const json& object_;
  std::string where_;
  std::string problem_;
};

/// Not deeper than what is described, so that nothing recurses further.
json parse_shallow(std::string_view text) {
  bool too_deep = false;
  const auto watch_depth = [&](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > kMostDepth;
    return depth <= kMostDepth;
  };
  json root = json::parse(text.begin(), text.end(), watch_depth, false);
  return too_deep ? json(json::value_t::discarded) : root;
}

Result<LayerSize> layer_of(const json& node, std::size_t index) {
  Members members(node, fmt::format("layers[{}]", index));
  LayerSize layer{members.text("name"), members.count("parameters", kMostNumbers),
                  members.count("outputs", kMostNumbers),
                  members.count("multiply_adds", kMostWork)};
  if (!members.problem().empty()) return because(members.problem());
  return layer;
}

Result<NetworkSize> check(NetworkSize size) {
  if (size.batch == 0) return because("batch is 0");
  std::int64_t parameters = 0, outputs = 0;
  for (const LayerSize& layer : size.layers) {
    parameters += layer.parameters;
    outputs += layer.outputs;
  }
  if (parameters != size.parameters)
    return because(
        fmt::format("its layers have {} parameters, but it says {}", parameters, size.parameters));
  if (outputs > kMostNumbers) return because("its layers keep more numbers than any memory has");
  return size;
}

}  // namespace

Result<NetworkSize> parse_network_size(std::string_view text) {
  if (text.size() > kMostBytes) return because("more than 1 MiB");
  const json root = parse_shallow(text);
  if (root.is_discarded()) return because("not one JSON object");
  Members members(root, "");
  NetworkSize size;
  size.name = members.text("name");
  size.parameters = members.count("parameters", kMostNumbers);
  size.batch = members.count("batch", kMostBatch);
  size.epochs = members.count("epochs", kMostNumbers);
  size.optimizer = members.text("optimizer");
  size.optimizer_numbers = members.count("optimizer_numbers", kMostNumbers);
  size.input_numbers = members.count("input_numbers", kMostNumbers);
  const json* layers = members.list("layers");
  if (!members.problem().empty()) return because(members.problem());
  if (layers->size() > kMostLayers) return because("more than 10,000 layers");
  for (std::size_t i = 0; i < layers->size(); ++i) {
    auto layer = layer_of((*layers)[i], i);
    if (!layer) return tl::unexpected(layer.error());
    size.layers.push_back(std::move(*layer));
  }
  return check(std::move(size));
}

}  // namespace lapcast
