#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "remote/remote_request.h"

/// A request of any bytes is read or refused with a reason; what is read is written back the same,
/// and names no folder beyond lapcast's own.
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
