#include "detection/weights.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "common/state_dict.h"

namespace lapcast::workloads {
namespace {

/// Returns the number at the beginning of a name such as "3.weight", or -1.
int leading_number(std::string_view name) {
  const bool is_one = name.size() > 1 && name[0] >= '0' && name[0] <= '9' && name[1] == '.';
  return is_one ? name[0] - '0' : -1;
}

bool is_parameter(std::string_view name) {
  return name == "weight" || name == "bias";
}

std::string present_name(const std::string& name) {
  constexpr std::string_view kConv = "rpn.head.conv.", kMask = "roi_heads.mask_head.mask_fcn";
  const std::string_view all = name;
  if (all.starts_with(kConv) && is_parameter(all.substr(kConv.size()))) {
    return "rpn.head.conv.0.0." + name.substr(kConv.size());
  }
  if (all.starts_with(kMask)) {
    const std::string_view rest = all.substr(kMask.size());
    const int number = leading_number(rest);
    if (number < 1 || !is_parameter(rest.substr(2))) return name;
    return "roi_heads.mask_head." + std::to_string(number - 1) + ".0." +
           std::string(rest.substr(2));
  }
  for (const std::string_view blocks :
       {"backbone.fpn.inner_blocks.", "backbone.fpn.layer_blocks."}) {
    if (!all.starts_with(blocks)) continue;
    const std::string_view rest = all.substr(blocks.size());
    if (leading_number(rest) < 0 || !is_parameter(rest.substr(2))) continue;
    return std::string(blocks) + rest[0] + ".0." + std::string(rest.substr(2));
  }
  return name;
}

}  // namespace

NamedTensors with_present_names(const NamedTensors& tensors) {
  NamedTensors renamed;
  for (const auto& [name, tensor] : tensors) renamed[present_name(name)] = tensor;
  return renamed;
}

void load_weights(MaskRcnn& network, const std::filesystem::path& file) {
  load_state_dict(network, with_present_names(read_state_dict(file)), file.string());
}

}  // namespace lapcast::workloads
