#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lapcast {

/// Keeps the beginning and the end of what a program prints.
class OutputCapture {
 public:
  static constexpr std::size_t kHead = 64 * 1024;   // bytes kept of the beginning
  static constexpr std::size_t kTail = 192 * 1024;  // bytes kept of the end, at least

  void append(std::string_view bytes);
  std::int64_t total_bytes() const { return total_; }
  /// Returns head and tail; where something between them was dropped, a line says how much.
  std::string text() const;

 private:
  std::string head_;
  std::string tail_;  // up to twice kTail before it is cut
  std::int64_t total_ = 0;
};

}  // namespace lapcast
