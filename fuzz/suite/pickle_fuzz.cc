#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "data/pickle.h"

using namespace lapcast::workloads;

/// Checks that any bytes are read as pickles of a state dict or refused. Every tensor lies within
/// its storage, and the storages begin within the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const PickledTensor& tensor : read_pickled_tensors(text)) {
      if (!lies_in_storage(tensor)) std::abort();
    }
  } catch (const std::runtime_error&) {
  }
  try {
    if (read_legacy_pickles(text).first_storage > size) std::abort();
  } catch (const std::runtime_error&) {
  }
  return 0;
}
