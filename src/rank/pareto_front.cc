#include "rank/pareto_front.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace lapcast {

void mark_pareto_front(std::vector<Choice>& chosen) {
  std::vector<Choice*> by_time;
  for (Choice& choice : chosen) by_time.push_back(&choice);
  std::ranges::stable_sort(by_time, {}, [](const Choice* choice) {
    return std::tie(choice->quote.time.mid, choice->quote.total.mid);
  });
  const Quote* last = nullptr;  // the last quote on the front
  for (Choice* choice : by_time) {
    const Quote& quote = choice->quote;
    const bool equal =
        last && quote.time.mid == last->time.mid && quote.total.mid == last->total.mid;
    choice->on_pareto_front = !last || quote.total.mid < last->total.mid || equal;
    if (choice->on_pareto_front) last = &quote;
  }
}

void mark_energy_front(std::vector<Choice>& chosen) {
  using Figures = std::tuple<Seconds, Money, double>;
  const auto figures_of = [](const Choice* choice) {
    const Quote& quote = choice->quote;
    return Figures{quote.time.mid, quote.total.mid, choice->energy->kwh.mid};
  };
  std::vector<Choice*> known;
  for (Choice& choice : chosen)
    if (choice.energy) known.push_back(&choice);
  std::ranges::stable_sort(known, {}, figures_of);
  std::map<Money, double> least;  // energy of the front up to a cost; it falls as the cost rises
  Figures last{};
  for (Choice* choice : known) {
    const Figures own = figures_of(choice);
    const auto [time, cost, kwh] = own;
    const auto above = least.upper_bound(cost);
    const bool is_beaten = above != least.begin() && std::prev(above)->second <= kwh;
    choice->on_energy_front = !is_beaten || own == last;
    if (is_beaten) continue;
    last = own;
    const auto entry = least.insert_or_assign(cost, kwh).first;
    for (auto next = std::next(entry); next != least.end() && next->second >= kwh;)
      next = least.erase(next);
  }
}

}  // namespace lapcast
