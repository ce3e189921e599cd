#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "run/round.h"
#include "run/run.h"

namespace lapcast {

/// What the coordinator wants of a probe that runs, a line each, through the socket of a worker
/// process or the append-only file of a run elsewhere:
///   stop                 end the program in order; its run is interrupted
///   kill                 end it at once
///   enough WORDS         end it in order; WORDS are why its laps are enough
///   spent WORDS          end it in order; WORDS are which budget is spent
///   round LAPS SECONDS   a suspended program goes on, one that runs goes on, until it has so many
///                        laps in all or has run so long in all, pauses not counted; 0 = no limit
/// Lines of other kinds are for later versions.
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

/// Parses a line of any bytes, without its line break; monostate for lines of other kinds and
/// damaged ones.
Order parse_order(std::string_view line);

/// Returns an order as a line without its line break; its words are made printable.
std::string order_line(const Round& round);
std::string order_line(const outcome::Enough& why);
std::string order_line(const outcome::BudgetSpent& why);

/// Reads orders from a pipe or socket that nobody else reads.
class OrderReader {
 public:
  /// Reads from `fd` without owning it; -1 = no orders ever come.
  explicit OrderReader(int fd) : fd_(fd) {}
  /// Returns the descriptor for poll(2); -1 once no more orders can come.
  int fd() const { return fd_; }
  /// Returns the orders that have come, in their order; never waits.
  std::vector<Order> take();
  /// Returns whether the other end is closed.
  bool ended() const { return ended_; }

 private:
  int fd_;
  bool ended_ = false;
  std::string bytes_;  // the beginning of a line
};

}  // namespace lapcast
