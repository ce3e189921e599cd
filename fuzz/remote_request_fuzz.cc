#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "remote/remote_request.h"

/// Checks that a request of any bytes is read or refused with a reason. A request that is read is
/// written back unchanged and names no folder outside of lapcast's own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto request =
      lapcast::remote_request_from_json({reinterpret_cast<const char*>(data), size});
  if (!request) {
    if (request.error().text.empty()) std::abort();
    return 0;
  }
  if (request->work.find('/') != std::string::npos || request->work.starts_with('.')) std::abort();
  if (request->probe.context.id.find('/') != std::string::npos) std::abort();
  const std::string line = lapcast::to_json_line(*request);
  const auto again = lapcast::remote_request_from_json(line);
  if (!again || lapcast::to_json_line(*again) != line) std::abort();
  return 0;
}
