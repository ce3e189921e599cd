#include "probe/output_capture.h"

#include <fmt/format.h>

#include <algorithm>

namespace lapcast {

void OutputCapture::append(std::string_view bytes) {
  total_ += static_cast<std::int64_t>(bytes.size());
  const std::size_t to_head = std::min(kHead - head_.size(), bytes.size());
  head_.append(bytes.substr(0, to_head));
  bytes.remove_prefix(to_head);
  if (bytes.size() > kTail) bytes.remove_prefix(bytes.size() - kTail);
  tail_.append(bytes);
  if (tail_.size() > 2 * kTail) tail_.erase(0, tail_.size() - kTail);
}

std::string OutputCapture::text() const {
  const std::string_view tail =
      tail_.size() > kTail ? std::string_view(tail_).substr(tail_.size() - kTail) : tail_;
  const std::int64_t dropped = total_ - static_cast<std::int64_t>(head_.size() + tail.size());
  if (dropped <= 0) return head_ + std::string(tail);
  return fmt::format("{}\n[lapcast: {} bytes left out]\n{}", head_, dropped, tail);
}

}  // namespace lapcast
