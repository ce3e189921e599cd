#include "remote/node_type_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "machine/proc_text.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestName = 80;

/// Returns "4xa100" for "gpu:a100:4", "2xgpu" for "gpu:2", "1xt4-3xa10" for a node with both, and
/// "" for what is not an accelerator.
std::string accelerators(const std::string& gres) {
  std::string text;
  for (const std::string_view one : split(gres, ',')) {
    const auto parts = split(one, ':');
    if (parts[0] != "gpu" || parts.size() < 2) continue;
    if (!text.empty()) text += '-';
    text += fmt::format("{}x{}", parts.back(), parts.size() > 2 ? parts[1] : parts[0]);
  }
  return text;
}

std::string base_name(const NodeType& type) {
  const std::string first = type.partition.substr(0, type.partition.find(','));
  std::string name = fmt::format("{}-{}c", first, type.cpus);
  if (const std::string gpus = accelerators(type.gres); !gpus.empty()) name += "-" + gpus;
  return name;
}

/// Returns the features that this type has, without those that all types of its base name have.
std::string own_features(const NodeType& type, const std::vector<const NodeType*>& namesakes) {
  std::string text;
  for (const std::string& feature : type.features) {
    const bool all_have =
        std::all_of(namesakes.begin(), namesakes.end(), [&](const NodeType* other) {
          return std::binary_search(other->features.begin(), other->features.end(), feature);
        });
    if (!all_have) text += "-" + feature;
  }
  return text;
}

}  // namespace

void name_types(std::vector<NodeType>& types) {
  std::map<std::string, std::vector<const NodeType*>> by_name;
  for (const NodeType& type : types) by_name[base_name(type)].push_back(&type);
  std::set<std::string> taken;
  for (NodeType& type : types) {
    std::string name = base_name(type);
    if (const auto& namesakes = by_name[name]; namesakes.size() > 1)
      name += own_features(type, namesakes);
    name.resize(std::min(name.size(), kLongestName));
    const std::string stem = name;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}-{}", stem, n);
    type.name = name;
  }
}

}  // namespace lapcast
