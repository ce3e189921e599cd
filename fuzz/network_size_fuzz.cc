#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "suite/driver/memory_estimate.h"
#include "suite/driver/network_size.h"

/// Checks that the output of --describe is a network or is refused with a reason. No estimate of an
/// accepted network overflows (the sanitizers watch), and the largest batch that fits does fit.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto network = lapcast::parse_network_size({reinterpret_cast<const char*>(data), size});
  if (!network) {
    if (network.error().text.empty()) std::abort();
    return 0;
  }
  constexpr std::int64_t kMostBatch = 1'000'000, kBytes = std::int64_t{64} << 30;
  if (lapcast::estimate_memory(*network, kMostBatch).total() < 0) std::abort();
  if (lapcast::memory_of_one_sample(*network) < 0) std::abort();
  const std::int64_t batch = lapcast::largest_batch(*network, kBytes);
  if (batch > 0 && lapcast::estimate_memory(*network, batch).total() > kBytes) std::abort();
  return 0;
}
