#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "run/run.h"

namespace lapcast {

// Orders tell the supervisor of a running probe what the coordinator wants. Each is a line, which
// comes through the socket of a worker process or the append-only file of a remote run:
//   stop                 end the program in order; its run is interrupted
//   kill                 end it at once
//   enough WORDS         end it in order; WORDS say why its laps are enough
//   spent WORDS          end it in order; WORDS say which budget is spent
//   round LAPS SECONDS   let the program go on, whether it is suspended or runs, until it has LAPS
//                        laps in all, or has run SECONDS in all without pauses; 0 = no limit
// Other lines are reserved for later versions.
namespace order {
struct Stop {
  bool at_once = false;
  friend bool operator==(const Stop&, const Stop&) = default;
};
struct End {
  Outcome why;  // Enough or BudgetSpent
  friend bool operator==(const End&, const End&) = default;
};
}  // namespace order
using Order = std::variant<std::monostate, order::Stop, order::End, Round>;

/// Parses a line of any bytes, without its line break. Returns an empty order for lines of other
/// kinds and for damaged ones.
Order parse_order(std::string_view line);

/// Returns an order as a line without its line break, with its words made printable.
std::string order_line(const Round& round);
std::string order_line(const outcome::Enough& why);
std::string order_line(const outcome::BudgetSpent& why);

/// Reads orders from a pipe or socket that has no other reader.
class OrderReader {
 public:
  /// Reads from `fd` without owning it; with -1 there are no orders.
  explicit OrderReader(int fd) : fd_(fd) {}
  /// Returns the descriptor for poll(2); -1 once no more orders can come.
  int fd() const { return fd_; }
  /// Returns the orders that have come since the last call, oldest first; never waits.
  std::vector<Order> take();
  /// Returns whether the other end is closed.
  bool ended() const { return ended_; }

 private:
  int fd_;
  bool ended_ = false;
  std::string bytes_;  // the beginning of an incomplete line
};

}  // namespace lapcast
