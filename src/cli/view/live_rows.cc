#include "cli/view/live_rows.h"

#include <fmt/format.h>

#include <utility>

namespace lapcast {
namespace {

constexpr std::string_view kClearBelow = "\033[J";

}  // namespace

std::string LiveRows::to_first_row() const {
  if (shown_.size() < 2) return "\r";
  return fmt::format("\r\033[{}A", shown_.size() - 1);
}

std::string LiveRows::show(const std::vector<std::string>& rows) {
  if (rows == shown_) return "";
  std::string text = fmt::format("{}{}{}", to_first_row(), kClearBelow, fmt::join(rows, "\n"));
  shown_ = rows;
  return text;
}

std::string LiveRows::hide() {
  if (shown_.empty()) return "";
  std::string text = fmt::format("{}{}", to_first_row(), kClearBelow);
  shown_.clear();
  return text;
}

std::vector<std::string> first_rows(std::vector<std::string> rows, std::size_t most) {
  if (rows.size() <= most || most == 0) return rows;
  const std::size_t left_out = rows.size() - (most - 1);
  rows.resize(most - 1);
  rows.push_back(fmt::format("... and {} more", left_out));
  return rows;
}

}  // namespace lapcast
