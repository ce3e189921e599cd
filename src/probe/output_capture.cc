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

std::string last_lines(std::string_view text, int lines) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::size_t at = text.size();
  for (; lines > 0 && at > 0; --lines) {
    at = text.rfind('\n', at - 1);
    if (at == std::string_view::npos) return std::string(text);
  }
  return std::string(text.substr(std::min(at + 1, text.size())));
}

}  // namespace lapcast
