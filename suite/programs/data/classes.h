#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lapcast::workloads {

/// Returns how many of `n` samples each class gets where the classes have these sizes: in
/// proportion (largest remainders; of equal ones the first class), and at least one where `n` is at
/// least the number of classes. A class of size 0 gets none. `n` is at most the sum of the sizes,
/// or any number where the sizes are frequencies alone.
std::vector<int64_t> shares_of_classes(std::span<const int64_t> sizes, int64_t n);

/// Returns the places of the `n` samples to keep of a set with these labels, ascending: every class
/// has its share, and its first samples are kept. Returns all places when there are fewer or n is
/// 0.
std::vector<size_t> first_of_each_class(std::span<const uint8_t> labels, int64_t n);

/// Keeps the records at these places, ascending; each has `length` items of the list.
template <typename Item>
void keep_records(std::vector<Item>& items, std::span<const size_t> places, size_t length = 1) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == i) continue;
    const auto from = items.begin() + static_cast<std::ptrdiff_t>(places[i] * length);
    std::move(from, from + static_cast<std::ptrdiff_t>(length),
              items.begin() + static_cast<std::ptrdiff_t>(i * length));
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(places.size() * length), items.end());
}

/// Does the same, and returns the other items, each a record, in their order.
template <typename Item>
std::vector<Item> cut_records(std::vector<Item>& items, std::span<const size_t> places) {
  std::vector<Item> others;
  for (size_t i = 0, next = 0; i < items.size(); ++i) {
    const bool stays = next < places.size() && places[next] == i;
    if (stays) {
      ++next;
    } else {
      others.push_back(items[i]);
    }
  }
  keep_records(items, places);
  return others;
}

}  // namespace lapcast::workloads
