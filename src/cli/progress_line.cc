#include "cli/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/console.h"
#include "core/units.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

constexpr std::string_view kClearBelow = "\033[J";
constexpr std::int64_t kMostColumns = 10000;

winsize terminal_size(int stream = STDERR_FILENO) {
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

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

std::size_t terminal_width() {
  const winsize size = terminal_size();
  return size.ws_col > 10 ? size.ws_col - 1u : 79u;
}

std::size_t columns_of(int stream) {
  if (const winsize size = terminal_size(stream); size.ws_col > 0) return size.ws_col;
  const char* const text = std::getenv("COLUMNS");
  const auto columns = parse_integer(text == nullptr ? "" : text);
  return columns && *columns > 0 && *columns <= kMostColumns ? static_cast<std::size_t>(*columns)
                                                             : 0;
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(knows_escapes(STDERR_FILENO)) {}
ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(std::vector<std::string> rows) {
  if (quiet_ || !terminal_) return;
  const std::size_t height = terminal_size().ws_row;
  rows = first_rows(std::move(rows), height > 3 ? height / 2 : 12);
  for (std::string& row : rows) row = printable(row, terminal_width());
  write_to_stderr(rows_.show(rows));
}

void ProgressLine::finished(const std::string& text) {
  clear();
  if (quiet_) return;
  write_line_to_stderr(printable(text, 2000));
}

void ProgressLine::clear() {
  write_to_stderr(rows_.hide());
}

}  // namespace lapcast
