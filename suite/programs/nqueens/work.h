#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "nqueens/tally.h"

namespace lapcast::workloads::nqueens {

/// Describes a search in parts that any thread can do in any order. Neighbours take similar time.
struct Work {
  int64_t items = 0;
  std::function<Tally(int64_t item)> search;
  Tally before;  ///< what was found while the work was split
};

/// Divides the items of a search evenly into laps: lap i of n ends when items * i / n are done. A
/// search has at least one lap, and no lap is empty except that of a search without items.
class Laps {
 public:
  Laps(int64_t items, int64_t wanted);

  int64_t count() const { return count_; }
  /// Returns the number of items done at the end of lap i, counted from 1, or 0 for lap 0.
  int64_t end(int64_t lap) const { return items_ * lap / count_; }
  int64_t size(int64_t lap) const { return end(lap) - end(lap - 1); }
  /// Returns the lap, counted from 1, of the item that is finished as number `done`.
  int64_t lap_of(int64_t done) const { return (done * count_ + items_ - 1) / items_; }

 private:
  int64_t items_;
  int64_t count_;
};

/// Gives the order in which a search takes its items. Neighbours take similar time and distant
/// items do not, so steps of the golden ratio through the list give every lap some of each kind
/// (low-discrepancy sampling; Knuth, The Art of Computer Programming 3, section 6.4).
class SpreadOrder {
 public:
  explicit SpreadOrder(int64_t items);
  /// Maps the places 0 to items - 1 one-to-one to the items.
  int64_t item(int64_t place) const { return place * step_ % items_; }

 private:
  int64_t items_;
  int64_t step_;
};

/// Names one of several equal pieces of a search, such as "3/20", which different machines can do.
/// The pieces are ranges of the placements of the first queens, in the order of SpreadOrder, so
/// that they take similar time. Their tallies add up to that of the whole search.
struct Piece {
  int64_t number = 1;  ///< from 1 to `of`
  int64_t of = 1;

  /// Returns the place of its first item among so many.
  int64_t first(int64_t items) const { return items * (number - 1) / of; }
  /// Returns the place after its last item.
  int64_t end(int64_t items) const { return items * number / of; }
  bool is_whole() const { return of == 1; }
};

/// Is the largest number of pieces.
constexpr int64_t kMostPieces = 1'000'000;

/// Parses "3/20"; nullopt for any other text.
std::optional<Piece> parse_piece(std::string_view text);

/// Returns the search of one piece. The first piece has what was found while the work was split.
Work piece_of(Work work, const Piece& piece);

/// Does all items on `threads` threads; a free thread takes the next one. on_lap(size) is called
/// once for each lap by the thread that ends it, one call at a time, also for the empty lap of a
/// search without items.
Tally search_on_threads(const Work& work, int threads, const Laps& laps,
                        const std::function<void(int64_t size)>& on_lap);

}  // namespace lapcast::workloads::nqueens
