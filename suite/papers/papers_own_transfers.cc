#include "suite/papers/papers_own_transfers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "stats/summary.h"
#include "suite/papers/papers_own_groups.h"

namespace lapcast {
namespace {

using Alike = std::vector<const MeasuredTransfer*>;

constexpr std::size_t kMostOwn = 8;  // groups of transfers in one figure
constexpr double kMegabit = 8e-6;    // of a byte

/// Groups transfers that are alike; groups with the newest transfers are first.
std::vector<Alike> alike_transfers(std::span<const MeasuredTransfer> transfers) {
  std::vector<Alike> groups;
  for (auto one = transfers.rbegin(); one != transfers.rend(); ++one) {
    const auto is_like = [&](const Alike& group) { return are_like(*group.front(), *one); };
    auto found = std::ranges::find_if(groups, is_like);
    if (found == groups.end()) found = groups.insert(found, Alike());
    found->push_back(&*one);
  }
  return groups;
}

/// Returns the first groups, which the figure shows, and counts the others.
std::vector<Alike> few_of(PaperFigure& figure, std::vector<Alike> groups) {
  if (groups.size() > kMostOwn) {
    figure.left_out += groups.size() - kMostOwn;
    groups.resize(kMostOwn);
  }
  return groups;
}

/// Returns "yours: here, 5 at a time, 119 files to box (44 MB)".
std::string transfer_name(const MeasuredTransfer& transfer) {
  const std::string name = "yours: " + in_words(transfer);
  return transfer.is_link ? name : name + " (" + format_bytes(transfer.bytes) + ")";
}

/// Adds the bandwidth of the newest transfer of each kind, second by second.
void add_bandwidths(PaperFigure& figure, std::vector<Alike> groups) {
  std::erase_if(groups, [](const Alike& group) { return group.front()->seconds.empty(); });
  for (const Alike& group : few_of(figure, std::move(groups))) {
    FigureSeries& series = own_series(figure, transfer_name(*group.front()));
    SentUpTo before;
    for (const SentUpTo& now : group.front()->seconds) {
      const double length = now.second - before.second;
      if (!(length > 0)) continue;
      const auto bytes =
          static_cast<double>(std::max<std::int64_t>(0, now.sent_bytes - before.sent_bytes));
      series.points.push_back({.x = now.second, .y = bytes * kMegabit / length, .label = ""});
      before = now;
    }
  }
}

/// Adds the mean time of the transfers of each kind that prepare.
void add_preparing(PaperFigure& figure, std::vector<Alike> groups) {
  std::erase_if(groups, [](const Alike& group) { return !group.front()->way.has_value(); });
  for (const Alike& group : few_of(figure, std::move(groups))) {
    std::vector<double> times;
    for (const MeasuredTransfer* one : group) times.push_back(one->time.count());
    own_series(figure, "yours")
        .points.push_back({.y = mean(times), .label = transfer_name(*group.front())});
  }
}

/// Adds the number of files of each size in the newest data set and, if it was prepared on this
/// machine, the number of prepared ones.
void add_sizes(PaperFigure& figure, std::span<const MeasuredTransfer> transfers) {
  const auto made = [](const MeasuredTransfer& one) {
    return std::ranges::any_of(one.sizes,
                               [](const FilesOfSize& size) { return size.made_files.has_value(); });
  };
  const MeasuredTransfer* chosen = nullptr;
  for (const MeasuredTransfer& one : transfers)
    if (!one.sizes.empty() && (chosen == nullptr || made(one) || !made(*chosen))) chosen = &one;
  if (chosen == nullptr) return;
  for (const FilesOfSize& size : chosen->sizes) {
    const std::string label = "yours: up to " + format_bytes(size.up_to_bytes);
    if (size.files > 0)
      own_series(figure, "original")
          .points.push_back({.y = static_cast<double>(size.files), .label = label});
    if (size.made_files.value_or(0) > 0)
      own_series(figure, "prepared")
          .points.push_back({.y = static_cast<double>(*size.made_files), .label = label});
  }
}

}  // namespace

void add_own_transfers(PaperFigure& figure, std::span<const MeasuredTransfer> transfers) {
  if (figure.own == "bandwidth")
    add_bandwidths(figure, alike_transfers(transfers));
  else if (figure.own == "preparing")
    add_preparing(figure, alike_transfers(transfers));
  else if (figure.own == "file-sizes")
    add_sizes(figure, transfers);
}

}  // namespace lapcast
