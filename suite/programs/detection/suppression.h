#pragma once

#include <ATen/core/Tensor.h>

namespace lapcast::workloads {

/// Suppresses boxes that are not the maximum of their surroundings (non-maximum suppression). In
/// the order of falling scores, a box is kept unless one that was kept before overlaps it by more
/// than `threshold` (intersection over union). Boxes of different groups do not compete. Equal
/// scores keep their order.
///
/// `boxes` is n x 4, `scores` n, `groups` n whole numbers. Returns the indices of the boxes kept,
/// in the order of falling scores. Tensors on the CPU are searched by threads, a group by one of
/// them; others by suppress_by_tensors().
at::Tensor suppress(const at::Tensor& boxes, const at::Tensor& scores, const at::Tensor& groups,
                    double threshold);

/// Does the same with operators on whole tensors, on any device: a box is kept if no kept one
/// before it overlaps it, which is repeated until nothing changes.
at::Tensor suppress_by_tensors(const at::Tensor& boxes, const at::Tensor& scores,
                               const at::Tensor& groups, double threshold);

}  // namespace lapcast::workloads
