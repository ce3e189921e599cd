#include "nqueens/work.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

namespace lapcast::workloads::nqueens {
namespace {

/// Counts the items that are done and reports laps.
class LapCounter {
 public:
  LapCounter(const Laps& laps, const std::function<void(int64_t)>& on_lap)
      : laps_(laps), on_lap_(on_lap) {}

  void item_done() {
    const int64_t done = ++done_;
    const int64_t lap = laps_.lap_of(done);
    if (done < laps_.end(lap)) return;
    const std::lock_guard lock(mutex_);
    on_lap_(laps_.size(lap));
  }

 private:
  const Laps& laps_;
  const std::function<void(int64_t)>& on_lap_;
  std::atomic<int64_t> done_{0};
  std::mutex mutex_;
};

}  // namespace

Laps::Laps(int64_t items, int64_t wanted)
    : items_(items), count_(std::clamp<int64_t>(wanted, 1, std::max<int64_t>(items, 1))) {}

SpreadOrder::SpreadOrder(int64_t items)
    : items_(items), step_(static_cast<int64_t>(0.6180339887498949 * static_cast<double>(items))) {
  while (std::gcd(step_, items_) > 1) ++step_;
}

std::optional<Piece> parse_piece(std::string_view text) {
  Piece piece;
  const char* const end = text.data() + text.size();
  const auto [slash, no_number] = std::from_chars(text.data(), end, piece.number);
  if (no_number != std::errc{} || slash == end || *slash != '/') return std::nullopt;
  const auto [last, no_count] = std::from_chars(slash + 1, end, piece.of);
  const bool valid = no_count == std::errc{} && last == end && piece.number >= 1 &&
                     piece.number <= piece.of && piece.of <= kMostPieces;
  return valid ? std::optional(piece) : std::nullopt;
}

Work piece_of(Work work, const Piece& piece) {
  if (piece.is_whole()) return work;
  const SpreadOrder order(work.items);
  auto items = std::make_shared<std::vector<int64_t>>();
  for (int64_t place = piece.first(work.items); place < piece.end(work.items); ++place) {
    items->push_back(order.item(place));
  }
  std::sort(items->begin(), items->end());  // Neighbours take similar time.
  Work part;
  part.items = static_cast<int64_t>(items->size());
  if (piece.number == 1) part.before = work.before;
  part.search = [search = std::move(work.search), items = std::move(items)](int64_t item) {
    return search((*items)[static_cast<size_t>(item)]);
  };
  return part;
}

Tally search_on_threads(const Work& work, int threads, const Laps& laps,
                        const std::function<void(int64_t size)>& on_lap) {
  if (work.items == 0) on_lap(0);
  const SpreadOrder order(work.items);
  LapCounter counter(laps, on_lap);
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  Tally sum = work.before;
  const auto search = [&] {
    Tally own;
    for (int64_t place; (place = next++) < work.items;) {
      own += work.search(order.item(place));
      counter.item_done();
    }
    const std::lock_guard lock(mutex);
    sum += own;
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(search);
  search();
  others.clear();  // joins
  return sum;
}

}  // namespace lapcast::workloads::nqueens
