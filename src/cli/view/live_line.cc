#include "cli/view/live_line.h"

#include <fmt/format.h>

#include <utility>

namespace lapcast {
namespace {

constexpr std::string_view kSave = "\0337";
constexpr std::string_view kRestore = "\0338";
constexpr std::string_view kClearRow = "\r\033[K";
constexpr std::string_view kDown = "\033[B";
// IND scrolls where there is no row below, and leaves the cursor in its column.
constexpr std::string_view kMakeRowBelow = "\033D\033[A";

}  // namespace

std::string LiveLine::hide() {
  if (!shown_) return "";
  shown_ = false;
  if (at_line_start_) return std::string(kClearRow);
  return fmt::format("{}{}{}{}", kSave, kDown, kClearRow, kRestore);
}

void LiveLine::passed(std::string_view bytes) {
  if (!bytes.empty()) at_line_start_ = bytes.back() == '\n';
}

std::string LiveLine::show(std::string_view line) {
  shown_ = true;
  if (at_line_start_) return fmt::format("{}{}", kClearRow, line);
  return fmt::format("{}{}{}{}{}{}", kMakeRowBelow, kSave, kDown, kClearRow, line, kRestore);
}

std::string LiveLine::new_row() {
  return std::exchange(at_line_start_, true) ? "" : "\n";
}

}  // namespace lapcast
