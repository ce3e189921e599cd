#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace lapcast::workloads {

/// Hands out pieces of the range [0, size), always the lowest that is large enough.
///
/// A training step allocates on its way forward and frees on its way back, like a stack. The lowest
/// gap then wastes little, and every step finds the same places: after the first step the highest
/// end stays where it is.
class FirstFit {
 public:
  explicit FirstFit(int64_t size) { gaps_[0] = size; }

  /// Returns where a piece of `size` begins, or nothing when no gap is large enough.
  std::optional<int64_t> take(int64_t size) {
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      const auto [begin, end] = *gap;
      if (end - begin < size) continue;
      gaps_.erase(gap);
      if (begin + size < end) gaps_[begin + size] = end;
      pieces_[begin] = size;
      return begin;
    }
    return std::nullopt;
  }

  /// Takes back the piece that begins there, and joins it with the gaps beside it.
  void give_back(int64_t begin) {
    const auto piece = pieces_.find(begin);
    if (piece == pieces_.end()) return;
    int64_t end = begin + piece->second;
    pieces_.erase(piece);
    auto next = gaps_.lower_bound(begin);
    if (next != gaps_.end() && next->first == end) {
      end = next->second;
      next = gaps_.erase(next);
    }
    if (next != gaps_.begin() && std::prev(next)->second == begin) {
      std::prev(next)->second = end;
    } else {
      gaps_[begin] = end;
    }
  }

 private:
  std::map<int64_t, int64_t> gaps_;    // begin -> end
  std::map<int64_t, int64_t> pieces_;  // begin -> size
};

}  // namespace lapcast::workloads
