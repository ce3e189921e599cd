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
  std::string cuda = {};             // the oldest that the driver must run: "12.8"
  std::int64_t free_disk_bytes = 0;  // of the file system that lapcast's folder is on
  friend bool operator==(const OrderedHardware&, const OrderedHardware&) = default;
};

/// Returns whether a GPU is of the ordered model, by the words of both names that have digits and
/// are not sizes of memory: "L4" is not "NVIDIA L40", "RTX 4090" is "NVIDIA GeForce RTX 4090".
bool is_gpu_model(std::string_view ordered, std::string_view found);

/// Begins the reason why a machine is not the one that was ordered.
inline constexpr const char* kNotAsOrdered = "not the machine that was ordered";

/// Returns why a machine is not the one that was ordered, such as "... : ordered an RTX 4090 with
/// 24 GiB, got an NVIDIA GeForce RTX 4090 with 12 GiB"; none when it is. Names of GPUs are compared
/// by their words with digits, sizes of memory down to 90 %, and numbers must be reached. What the
/// machine does not tell of itself counts as good; `free_disk_bytes` is 0 where it is not known.
std::optional<Reason> why_not_as_ordered(const OrderedHardware& ordered,
                                         const MachineDescription& machine,
                                         std::int64_t free_disk_bytes = 0);

/// Returns whether a text is a version of CUDA as drivers name them: "12.8".
bool is_cuda_version(std::string_view text);

}  // namespace lapcast
