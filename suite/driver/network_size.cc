#include "suite/driver/network_size.h"

#include <fmt/format.h>

#include <utility>

#include "core/units.h"
#include "run/json_object.h"
#include "run/json_reader.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kMostDepth = 5;  // the object has 4
constexpr std::size_t kMostLayers = 10'000;
constexpr std::size_t kMostBlocks = 16;  // of a layer
// Products of two such amounts and a few bytes stay within 64 bits.
constexpr std::int64_t kMostNumbers = 1'000'000'000'000;
constexpr std::int64_t kMostWork = 1'000'000'000'000'000;
constexpr std::int64_t kMostBatch = 1'000'000;

/// Refers to a whole number from 0 to `most`.
struct BoundedCount {
  std::int64_t& value;
  std::int64_t most;
};

/// Holds one number of a list of bytes.
struct BlockBytes {
  std::int64_t bytes = 0;
};

/// Reads the members of a description.
class SizeReader : public JsonReader<SizeReader> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::read;

  void count(const char* key, std::int64_t& value, std::int64_t most = kMostNumbers) {
    BoundedCount bounded{value, most};
    required(key, bounded);
  }
  /// Reads a list that older programs do not print.
  void blocks(const char* key, std::vector<std::int64_t>& values) {
    std::vector<BlockBytes> read;
    (*this)(key, read);
    for (const BlockBytes& block : read) values.push_back(block.bytes);
  }
  void optional_count(const char* key, std::int64_t& value) {
    BoundedCount bounded{value, kMostNumbers};
    (*this)(key, bounded);
  }
  static JsonProblem read(const Node& node, BlockBytes& block) {
    BoundedCount bounded{block.bytes, kMostNumbers};
    return read(node, bounded);
  }
  static JsonProblem read(const Node& node, std::string& text) {
    if (!node.is_string()) return " is not text";
    text = printable(node.get_ref<const std::string&>(), 100);
    return "";
  }
  static JsonProblem read(const Node& node, BoundedCount& count) {
    const bool fits = node.is_number_unsigned() &&
                      node.get<std::uint64_t>() <= static_cast<std::uint64_t>(count.most);
    if (!fits) return fmt::format(" is not a whole number from 0 to {}", count.most);
    count.value = node.get<std::int64_t>();
    return "";
  }
  static JsonProblem read(const Node& node, LayerSize& layer) {
    const auto fields = [](SizeReader& reader, LayerSize& size) {
      reader.required("name", size.name);
      reader.count("parameters", size.parameters);
      reader.count("outputs", size.outputs);
      reader.count("multiply_adds", size.multiply_adds, kMostWork);
      reader.blocks("kept_bytes", size.kept);
      reader.blocks("gradient_bytes", size.gradients);
      reader.optional_count("temporary_bytes", size.temporary);
    };
    JsonProblem problem = read_object(node, fields, layer);
    // Older programs do not list their blocks; then each output is one.
    if (problem.empty() && !node.contains("kept_bytes")) layer.kept = {4 * layer.outputs};
    return problem;
  }
  static JsonProblem read(const Node& node, NetworkSize& network) {
    const auto fields = [](SizeReader& reader, NetworkSize& size) {
      reader.required("name", size.name);
      reader.count("parameters", size.parameters);
      reader.count("batch", size.batch, kMostBatch);
      reader.count("epochs", size.epochs);
      reader.required("optimizer", size.optimizer);
      reader.count("optimizer_numbers", size.optimizer_numbers);
      reader.count("input_numbers", size.input_numbers);
      reader.required("layers", size.layers);
      reader.optional_count("step_samples", size.step_samples);
      reader.optional_count("step_bytes", size.step_bytes);
    };
    return read_object(node, fields, network);
  }
};

Result<NetworkSize> check(NetworkSize size) {
  if (size.layers.size() > kMostLayers) return because("more than 10,000 layers");
  if (size.batch == 0) return because("batch is 0");
  std::int64_t parameters = 0, outputs = 0;
  for (const LayerSize& layer : size.layers) {
    parameters += layer.parameters;
    outputs += layer.outputs;
    if (layer.kept.size() + layer.gradients.size() > kMostBlocks)
      return because(fmt::format("layer {} has more than {} blocks", layer.name, kMostBlocks));
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
  auto size = read_json_object<SizeReader, NetworkSize>(text, kMostDepth);
  return size ? check(std::move(*size)) : size;
}

}  // namespace lapcast
