#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace lapcast {

/// Holds the size of a layer of a network, per sample.
struct LayerSize {
  std::string name;
  std::int64_t parameters = 0;     // in all, not for each sample
  std::int64_t outputs = 0;        // numbers that training keeps for the backward pass
  std::int64_t multiply_adds = 0;  // of the forward pass
  // Blocks of memory in bytes, as suite/docs/workloads.md defines them.
  // Kept from the forward pass until its backward pass; its outputs where the program does not say.
  std::vector<std::int64_t> kept = {};
  std::vector<std::int64_t> gradients = {};  // one after the other in its backward pass
  std::int64_t temporary = 0;                // during its forward pass alone
  friend bool operator==(const LayerSize&, const LayerSize&) = default;
};

/// Holds what a program of the suite prints about its network with --describe.
struct NetworkSize {
  std::string name;
  std::int64_t parameters = 0;
  std::int64_t batch = 0;  // the default of the program
  std::int64_t epochs = 0;
  std::string optimizer;
  std::int64_t optimizer_numbers = 0;  // numbers that its state holds in all
  std::int64_t input_numbers = 0;      // numbers of one sample
  std::int64_t step_samples = 0;       // in each batch of the steps that it made; 0 = it made none
  std::int64_t step_bytes = 0;         // resident memory that these steps took
  std::vector<LayerSize> layers;
};

/// Reads the JSON object of --describe (suite/docs/suite.md). The reason names the member that is
/// missing, of the wrong kind or out of range, or says that the layers' parameters do not add up.
Result<NetworkSize> parse_network_size(std::string_view json);

}  // namespace lapcast
