#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lapcast {

/// Keeps the beginning and the end of what a program prints, however much that is.
class OutputCapture {
 public:
  static constexpr std::size_t kHead = 64 * 1024;   // bytes kept of the beginning
  static constexpr std::size_t kTail = 192 * 1024;  // bytes kept of the end, at least

  void append(std::string_view bytes);
  std::int64_t total_bytes() const { return total_; }
  /// Head and tail; where something between them was dropped, a line says how much.
  std::string text() const;

 private:
  std::string head_;
  std::string tail_;  // up to twice kTail before it is cut
  std::int64_t total_ = 0;
};

/// The last lines of a text, at most that many, without a final line break.
std::string last_lines(std::string_view text, int lines);

}  // namespace lapcast
