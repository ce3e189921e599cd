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

/// Of any bytes, without the line break: nothing for lines of other kinds and for damaged ones.
Order parse_order(std::string_view line);

/// As a line without its break. WordReader are made printable.
std::string order_line(const Round& round);
std::string order_line(const outcome::Enough& why);
std::string order_line(const outcome::BudgetSpent& why);

/// Orders out of a pipe or socket that is not read by anyone else.
class OrderReader {
 public:
  /// fd: as long as it is open; -1 = none ever come. It stays the caller's.
  explicit OrderReader(int fd) : fd_(fd) {}
  /// For poll(); -1 once no more can come.
  int fd() const { return fd_; }
  /// What has come, in its order; never waits.
  std::vector<Order> take();
  /// The other side is gone.
  bool ended() const { return ended_; }

 private:
  int fd_;
  bool ended_ = false;
  std::string bytes_;  // the beginning of a line
};

}  // namespace lapcast
