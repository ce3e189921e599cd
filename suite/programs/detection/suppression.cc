#include "detection/suppression.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "detection/boxes.h"

namespace lapcast::workloads {
namespace {

struct Box {
  float x1, y1, x2, y2;
  float area() const { return (x2 - x1) * (y2 - y1); }
};

bool overlap_more(const Box& a, const Box& b, double threshold) {
  const float width = std::max(0.f, std::min(a.x2, b.x2) - std::max(a.x1, b.x1));
  const float height = std::max(0.f, std::min(a.y2, b.y2) - std::max(a.y1, b.y1));
  const float common = width * height;
  return common / (a.area() + b.area() - common) > threshold;
}

/// Clears `kept` for the members of a group, which are in the order of falling scores, that are
/// suppressed.
void suppress_group(const Box* boxes, const std::vector<int64_t>& members, double threshold,
                    uint8_t* kept) {
  for (size_t i = 0; i < members.size(); ++i) {
    if (!kept[members[i]]) continue;
    for (size_t j = i + 1; j < members.size(); ++j) {
      if (kept[members[j]] && overlap_more(boxes[members[i]], boxes[members[j]], threshold)) {
        kept[members[j]] = 0;
      }
    }
  }
}

at::Tensor falling_order(const at::Tensor& scores) {
  return std::get<1>(scores.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true));
}

}  // namespace

at::Tensor suppress(const at::Tensor& boxes, const at::Tensor& scores, const at::Tensor& groups,
                    double threshold) {
  if (!boxes.is_cpu()) return suppress_by_tensors(boxes, scores, groups, threshold);
  const at::Tensor order = falling_order(scores);
  const at::Tensor sorted = boxes.to(at::kFloat).index_select(0, order).contiguous();
  const at::Tensor sorted_groups = groups.to(at::kLong).index_select(0, order).contiguous();
  std::map<int64_t, std::vector<int64_t>> members;
  for (int64_t i = 0; i < sorted.size(0); ++i) {
    members[sorted_groups.const_data_ptr<int64_t>()[i]].push_back(i);
  }
  std::vector<const std::vector<int64_t>*> lists;
  for (const auto& [group, list] : members) lists.push_back(&list);
  const at::Tensor kept = at::ones({sorted.size(0)}, at::kByte);
  static_assert(sizeof(Box) == 4 * sizeof(float));
  const Box* all = reinterpret_cast<const Box*>(sorted.const_data_ptr<float>());
  uint8_t* flags = kept.mutable_data_ptr<uint8_t>();
  at::parallel_for(0, static_cast<int64_t>(lists.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      suppress_group(all, *lists[static_cast<size_t>(i)], threshold, flags);
    }
  });
  return order.index({kept.to(at::kBool)});
}

at::Tensor suppress_by_tensors(const at::Tensor& boxes, const at::Tensor& scores,
                               const at::Tensor& groups, double threshold) {
  const at::Tensor order = falling_order(scores);
  const at::Tensor sorted = boxes.index_select(0, order);
  const at::Tensor sorted_groups = groups.index_select(0, order);
  const at::Tensor kept = at::zeros({sorted.size(0)}, order.options().dtype(at::kBool));
  const at::Tensor names = std::get<0>(at::_unique(groups));
  for (int64_t g = 0; g < names.size(0); ++g) {
    const at::Tensor members = (sorted_groups == names.select(0, g)).nonzero().squeeze(1);
    const at::Tensor own = sorted.index_select(0, members);
    const at::Tensor suppresses = (overlaps(own, own) > threshold).triu(1);
    at::Tensor now = at::ones({members.size(0)}, kept.options());
    for (at::Tensor before; !before.defined() || !before.equal(now);) {
      before = now;
      now = (suppresses & before.unsqueeze(1)).any(0).logical_not();
    }
    kept.index_copy_(0, members, now);
  }
  return order.index({kept});
}

}  // namespace lapcast::workloads
