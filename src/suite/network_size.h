#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace lapcast {

/// Holds the size of a layer of a network, per sample.
struct LayerSize {
  std::string name;
  std::int64_t parameters = 0;
  std::int64_t outputs = 0;        // numbers that training keeps for the backward pass
  std::int64_t multiply_adds = 0;  // of the forward pass
  friend bool operator==(const LayerSize&, const LayerSize&) = default;
};

/// Holds what a program of the suite prints about its network with --describe.
struct NetworkSize {
  std::string name;
  std::int64_t parameters = 0;
  std::int64_t batch = 0;  // its default
  std::int64_t epochs = 0;
  std::string optimizer;
  std::int64_t optimizer_numbers = 0;  // that its state holds in all
  std::int64_t input_numbers = 0;      // of one sample
  std::vector<LayerSize> layers;
};

/// Reads the JSON object of --describe (docs/suite.md). The reason names the member that is
/// missing, of the wrong kind or out of range, or says that the layers' parameters do not add up.
Result<NetworkSize> parse_network_size(std::string_view json);

}  // namespace lapcast
