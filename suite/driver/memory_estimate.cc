#include "suite/driver/memory_estimate.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace lapcast {
namespace {

constexpr std::int64_t kBytesOfNumber = 4;
constexpr std::int64_t kMostMemory = std::int64_t{1} << 62;
constexpr std::int64_t kLargestBatch = 1'000'000'000;

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kMostMemory : std::min(result, kMostMemory);
}

/// Says what a block of memory holds.
enum class Holds { state, gradient, activation, activation_gradient };

/// Is the memory of one step: blocks at addresses from 0, and what each kind amounted to when the
/// highest one was placed.
class StepMemory {
 public:
  using Block = std::int64_t;  // its address

  /// Places a block into the lowest gap that is large enough. One without bytes has no place.
  Block take(Holds kind, std::int64_t bytes) {
    if (bytes <= 0) return -1;
    Block at = 0;
    for (const auto& [begin, piece] : pieces_) {
      if (begin - at >= bytes) break;
      at = begin + piece.bytes;
    }
    if (bytes > kMostMemory - at) bytes = kMostMemory - at;
    pieces_[at] = {kind, bytes};
    live_[kind] += bytes;
    if (at + bytes > top_) {
      top_ = at + bytes;
      at_top_ = live_;
    }
    return at;
  }
  void give_back(Block block) {
    const auto piece = pieces_.find(block);
    if (piece == pieces_.end()) return;
    live_[piece->second.kind] -= piece->second.bytes;
    pieces_.erase(piece);
  }
  std::int64_t top() const { return top_; }
  std::int64_t at_top(Holds kind) const {
    const auto found = at_top_.find(kind);
    return found == at_top_.end() ? 0 : found->second;
  }

 private:
  struct Piece {
    Holds kind;
    std::int64_t bytes;
  };
  std::map<Block, Piece> pieces_;
  std::map<Holds, std::int64_t> live_, at_top_;
  std::int64_t top_ = 0;
};

using Blocks = std::vector<StepMemory::Block>;

/// Takes the blocks of the forward pass. Returns those that stay, by layer.
std::vector<Blocks> go_forward(StepMemory& memory, const NetworkSize& size, std::int64_t batch) {
  std::vector<Blocks> kept;
  for (const LayerSize& layer : size.layers) {
    const auto temporary = memory.take(Holds::activation_gradient, product(layer.temporary, batch));
    Blocks& blocks = kept.emplace_back();
    for (const std::int64_t bytes : layer.kept)
      blocks.push_back(memory.take(Holds::activation, product(bytes, batch)));
    memory.give_back(temporary);
  }
  return kept;
}

void go_back(StepMemory& memory, const NetworkSize& size, std::int64_t batch,
             const std::vector<Blocks>& kept) {
  StepMemory::Block gradient = -1;
  const auto replace = [&](StepMemory::Block by) {
    memory.give_back(gradient);
    gradient = by;
  };
  for (std::size_t i = size.layers.size(); i-- > 0;) {
    const LayerSize& layer = size.layers[i];
    for (std::size_t g = 0; g < layer.gradients.size(); ++g) {
      const auto next = memory.take(Holds::activation_gradient, product(layer.gradients[g], batch));
      // The gradients of its parameters follow, which need the one before the last.
      if (g + 1 == layer.gradients.size())
        memory.take(Holds::gradient, kBytesOfNumber * layer.parameters);
      replace(next);
    }
    if (layer.gradients.empty()) memory.take(Holds::gradient, kBytesOfNumber * layer.parameters);
    for (const StepMemory::Block block : kept[i]) memory.give_back(block);
  }
}

MemoryEstimate count_memory(const NetworkSize& size, std::int64_t batch) {
  MemoryEstimate estimate{.batch = batch,
                          .parameters = kBytesOfNumber * size.parameters,
                          .optimizer_state = kBytesOfNumber * size.optimizer_numbers};
  StepMemory memory;
  memory.take(Holds::state, estimate.parameters);
  memory.take(Holds::state, estimate.optimizer_state);
  memory.take(Holds::activation, product(kBytesOfNumber * size.input_numbers, batch));
  go_back(memory, size, batch, go_forward(memory, size, batch));
  estimate.gradients = memory.at_top(Holds::gradient);
  estimate.activations = memory.at_top(Holds::activation);
  estimate.activation_gradients = memory.at_top(Holds::activation_gradient);
  estimate.gaps = memory.top() - estimate.counted();
  return estimate;
}

}  // namespace

MemoryEstimate estimate_memory(const NetworkSize& size, std::int64_t batch) {
  MemoryEstimate estimate = count_memory(size, std::max<std::int64_t>(batch, 1));
  if (size.step_samples > 0) {
    const std::int64_t counted = count_memory(size, size.step_samples).counted();
    estimate.framework = std::max<std::int64_t>(size.step_bytes - counted, 0);
    estimate.overcount = std::max<std::int64_t>(counted - size.step_bytes, 0);
  }
  return estimate;
}

std::int64_t outputs_of_a_sample(const NetworkSize& size) {
  std::int64_t numbers = size.input_numbers;
  for (const LayerSize& layer : size.layers) numbers += layer.outputs;
  return kBytesOfNumber * numbers;
}

std::int64_t memory_of_one_sample(const NetworkSize& size) {
  return kBytesOfNumber * size.parameters + outputs_of_a_sample(size);
}

std::int64_t largest_batch(const NetworkSize& size, std::int64_t bytes, bool on_device) {
  const auto fits = [&](std::int64_t batch) {
    const MemoryEstimate estimate = estimate_memory(size, batch);
    return (on_device ? estimate.counted() : estimate.total()) <= bytes;
  };
  std::int64_t low = 0, high = kLargestBatch + 1;  // low fits, high does not
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace lapcast
