#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "machine/description.h"

namespace lapcast {

/// Says what hardware a rented machine must have, as it was ordered. Empty and 0 = not known.
struct OrderedHardware {
  std::string gpu;  // as price lists name it: "L4", "RTX 4090", "A100-80GB"
  std::int64_t gpus = 0;
  std::int64_t gpu_memory_bytes = 0;  // of one
  double vcpus = 0;
  std::int64_t memory_bytes = 0;
  friend bool operator==(const OrderedHardware&, const OrderedHardware&) = default;
};

/// Returns whether a GPU is of the ordered model, by the words of both names that have digits and
/// are not sizes of memory: "L4" is not "NVIDIA L40", "RTX 4090" is "NVIDIA GeForce RTX 4090".
bool is_gpu_model(std::string_view ordered, std::string_view found);

/// Begins the reason why a machine is not the one that was ordered.
inline constexpr const char* kNotAsOrdered = "not the machine that was ordered";

/// Returns why a machine is not the one that was ordered, such as "... : ordered an RTX 4090 with
/// 24 GiB, got an NVIDIA GeForce RTX 4090 with 12 GiB"; none when it is. Names of GPUs are compared
/// by their words with digits, sizes of memory down to 90 %, and numbers must be reached.
std::optional<Reason> why_not_as_ordered(const OrderedHardware& ordered,
                                         const MachineDescription& machine);

}  // namespace lapcast
