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
  std::int64_t parameters = 0;
  std::int64_t outputs = 0;        // numbers that training keeps for the backward pass
  std::int64_t multiply_adds = 0;  // of the forward pass
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
  std::vector<LayerSize> layers;
};

/// Reads the JSON object of --describe (docs/suite.md). The reason names the member that is
/// missing, of the wrong kind or out of range, or says that the layers' parameters do not add up.
Result<NetworkSize> parse_network_size(std::string_view json);

/// Estimates the memory of a training in bytes by counting the numbers of 4 bytes that must be kept
/// at once (Lawrence 2017, section II-E). It leaves out the framework's own code and buffers, the
/// data set, and the gradients of activations, which exist only for a while during the backward
/// pass.
struct MemoryEstimate {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer_state = 0;
  std::int64_t per_sample = 0;  // a sample's input and all outputs that are kept for it
  std::int64_t batch = 0;       // samples

  std::int64_t fixed() const { return parameters + gradients + optimizer_state; }
  std::int64_t activations() const { return batch * per_sample; }
  std::int64_t total() const { return fixed() + activations(); }
};
/// Returns the estimate for a training with `batch` samples in a batch.
MemoryEstimate estimate_memory(const NetworkSize& size, std::int64_t batch);

/// Returns the figure of Lawrence 2017 in bytes: the data structures for categorizing one image,
/// its input, all outputs and the parameters.
std::int64_t memory_of_one_sample(const NetworkSize& size);

/// Returns the most samples of a batch for which the estimate is not above `bytes`; 0 = not even
/// one sample fits.
std::int64_t largest_batch(const MemoryEstimate& estimate, std::int64_t bytes);

}  // namespace lapcast
