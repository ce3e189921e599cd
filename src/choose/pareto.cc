#include "choose/pareto.h"

#include <algorithm>
#include <tuple>

namespace lapcast {
namespace {

struct Point {
  Seconds time;
  Money cost;
  std::size_t choice;
};

std::vector<Point> points_of(const std::vector<Choice>& chosen) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    points.push_back({chosen[i].quote.time.mid, chosen[i].quote.total.mid, i});
  }
  return points;
}

}  // namespace

void mark_pareto_front(std::vector<Choice>& chosen) {
  std::vector<Point> points = points_of(chosen);
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return std::tie(a.time, a.cost, a.choice) < std::tie(b.time, b.cost, b.choice);
  });
  const Point* last = nullptr;  // of the front
  for (const Point& point : points) {
    const bool equal = last && point.time == last->time && point.cost == last->cost;
    const bool on_front = !last || point.cost < last->cost || equal;
    chosen[point.choice].on_pareto_front = on_front;
    if (on_front) last = &point;
  }
}

}  // namespace lapcast
