#include "probe/orders.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;  // of one line
constexpr double kMostSeconds = 1e9;
constexpr std::size_t kMostWords = 500;

template <class T>
bool read_number(std::string_view word, T& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number >= T{0};
}

Order parse_round(std::string_view text) {
  Round round;
  double seconds = 0;
  const std::size_t space = text.find(' ');
  const bool whole = space != std::string_view::npos &&
                     read_number(text.substr(0, space), round.laps) &&
                     read_number(text.substr(space + 1), seconds) && seconds <= kMostSeconds;
  if (!whole) return std::monostate{};
  round.ran = Seconds{seconds};
  return round;
}

/// Returns whether a read would not wait.
bool has_bytes(int fd) {
  pollfd one{fd, POLLIN, 0};
  return fd >= 0 && poll(&one, 1, 0) > 0;
}

}  // namespace

Order parse_order(std::string_view line) {
  if (line == "stop") return order::Stop{};
  if (line == "kill") return order::Stop{true};
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::monostate{};
  const std::string_view kind = line.substr(0, space), rest = line.substr(space + 1);
  if (kind == "enough") return order::End{outcome::Enough{printable(rest, kMostWords)}};
  if (kind == "spent") return order::End{outcome::BudgetSpent{printable(rest, kMostWords)}};
  if (kind == "round") return parse_round(rest);
  return std::monostate{};
}

std::string order_line(const Round& round) {
  return fmt::format("round {} {:.3f}", round.laps, round.ran.count());
}

std::string order_line(const outcome::Enough& why) {
  return "enough " + printable(why.rule, kMostWords);
}

std::string order_line(const outcome::BudgetSpent& why) {
  return "spent " + printable(why.which, kMostWords);
}

std::vector<Order> OrderReader::take() {
  std::vector<Order> orders;
  char bytes[4096];
  while (has_bytes(fd_)) {
    const ssize_t got = read(fd_, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0 || bytes_.size() > kMostBytes) {
      ended_ = true;
      fd_ = -1;
      break;
    }
    bytes_.append(bytes, static_cast<std::size_t>(got));
  }
  std::size_t begin = 0;
  for (std::size_t end; (end = bytes_.find('\n', begin)) != std::string::npos; begin = end + 1)
    orders.push_back(parse_order(std::string_view(bytes_).substr(begin, end - begin)));
  bytes_.erase(0, begin);
  return orders;
}

}  // namespace lapcast
