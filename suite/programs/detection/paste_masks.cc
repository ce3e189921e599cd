#include "detection/paste_masks.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstdint>

namespace lapcast::workloads {
namespace {

constexpr int64_t kBorder = 1;

/// Returns the boxes, larger by the factor around their centres, in whole pixels.
at::Tensor enlarged(const at::Tensor& boxes, double factor) {
  const auto half = [&](int64_t from) {
    return (boxes.select(1, from + 2) - boxes.select(1, from)) * 0.5 * factor;
  };
  const auto centre = [&](int64_t from) {
    return (boxes.select(1, from + 2) + boxes.select(1, from)) * 0.5;
  };
  const at::Tensor x = centre(0), y = centre(1), width = half(0), height = half(1);
  return at::stack({x - width, y - height, x + width, y + height}, 1).to(at::kLong);
}

/// Pastes one mask into an image of zeros. `box` has the first and last pixels.
void paste_mask(const at::Tensor& mask, const int64_t* box, const at::Tensor& image) {
  const int64_t width = std::max<int64_t>(box[2] - box[0] + 1, 1);
  const int64_t height = std::max<int64_t>(box[3] - box[1] + 1, 1);
  const at::Tensor resized =
      at::upsample_bilinear2d(mask.unsqueeze(0), {height, width}, false).squeeze(0).squeeze(0);
  const int64_t left = std::max<int64_t>(box[0], 0), top = std::max<int64_t>(box[1], 0);
  const int64_t right = std::min(box[2] + 1, image.size(1));
  const int64_t bottom = std::min(box[3] + 1, image.size(0));
  if (right <= left || bottom <= top) return;
  image.slice(0, top, bottom)
      .slice(1, left, right)
      .copy_(
          resized.slice(0, top - box[1], bottom - box[1]).slice(1, left - box[0], right - box[0]));
}

}  // namespace

at::Tensor paste_masks(const at::Tensor& masks, const at::Tensor& boxes, const Sides& image) {
  const int64_t side = masks.size(3);
  const at::Tensor bordered = at::constant_pad_nd(masks, {kBorder, kBorder, kBorder, kBorder});
  const double factor = static_cast<double>(side + 2 * kBorder) / static_cast<double>(side);
  const at::Tensor places = enlarged(boxes, factor).cpu().contiguous();
  const at::Tensor pasted =
      at::zeros({masks.size(0), 1, image.height, image.width}, masks.options());
  const auto paste = [&](int64_t begin, int64_t end) {
    const c10::NoGradGuard no_gradients;
    for (int64_t i = begin; i < end; ++i) {
      paste_mask(bordered.select(0, i), places.const_data_ptr<int64_t>() + 4 * i,
                 pasted.select(0, i).select(0, 0));
    }
  };
  if (masks.is_cpu()) {
    at::parallel_for(0, masks.size(0), 1, paste);
  } else {
    paste(0, masks.size(0));
  }
  return pasted;
}

}  // namespace lapcast::workloads
