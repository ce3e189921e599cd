#include "accuracy/hindsight_cost.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace lapcast {

double hindsight_cost(const DeadlineJob& job, std::span<const std::uint8_t> spot) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const int most_idle = job.deadline - job.work;
  // Holdings: 0 none, 1 + s spot, 1 + restart + s on demand, with s ticks until it works. A row
  // has a cost for each number of ticks without work so far, and each holding.
  const int holdings = 2 * job.restart + 1;
  const auto at = [&](int idle, int holding) {
    return static_cast<std::size_t>(idle * holdings + holding);
  };
  std::vector<double> done(at(most_idle + 2, 0), 0), row(done.size());
  for (int work = 1; work <= job.work; ++work) {
    for (int holding = 0; holding < holdings; ++holding) row[at(most_idle + 1, holding)] = kNever;
    const auto hold = [&](int idle, int first, int starting) {
      return starting > 0 ? row[at(idle + 1, first + starting - 1)] : done[at(idle, first)];
    };
    for (int idle = most_idle; idle >= 0; --idle) {
      const bool there = spot[static_cast<std::size_t>(idle + job.work - work)] != 0;
      const int on_demand = 1 + job.restart;
      const double fresh = std::min({row[at(idle + 1, 0)], 1 + hold(idle, on_demand, job.restart),
                                     there ? job.spot_price + hold(idle, 1, job.restart) : kNever});
      row[at(idle, 0)] = fresh;
      for (int starting = 0; starting < job.restart; ++starting) {
        const double kept = there ? job.spot_price + hold(idle, 1, starting) : kNever;
        row[at(idle, 1 + starting)] = std::min(fresh, kept);
        row[at(idle, on_demand + starting)] = std::min(fresh, 1 + hold(idle, on_demand, starting));
      }
    }
    std::swap(row, done);
  }
  return done[at(0, 0)];
}

}  // namespace lapcast
