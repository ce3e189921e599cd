#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lapcast::workloads {

/// Cuts the boxes out of the maps of an image, each to side x side numbers of every channel (He et
/// al., "Mask R-CNN", ICCV 2017, section 3). A box, scaled to the map, is divided into side x side
/// bins. A number is the mean over 2 x 2 points of its bin, which are interpolated between the four
/// pixels around them; pixel i is at coordinate i. Points more than one pixel outside of the map
/// count as 0.
///
/// `maps` is 1 x channels x rows x columns, `boxes` n x 4 in pixels of the image, `scale` the map's
/// size over that of the image. Returns n x channels x side x side, with the channels last in
/// memory. Tensors on the CPU are computed by threads, others by align_rois_by_tensors().
at::Tensor align_rois(const at::Tensor& maps, const at::Tensor& boxes, double scale, int64_t side);

/// Does the same with operators on whole tensors, on any device.
at::Tensor align_rois_by_tensors(const at::Tensor& maps, const at::Tensor& boxes, double scale,
                                 int64_t side);

/// Returns for each box the map that it is cut out of: the one whose pixels make a box of 224 x 224
/// pixels 14 x 14, or for each halving of its sides the one before (Lin et al., "Feature pyramid
/// networks", CVPR 2017, equation 1). The maps have 1/4, 1/8, 1/16 and 1/32 of the image's sides;
/// the result is from 0 to 3.
at::Tensor pyramid_levels(const at::Tensor& boxes);

/// Cuts every box out of its map of the four of pyramid_levels().
at::Tensor align_in_pyramid(const std::vector<at::Tensor>& maps, const at::Tensor& boxes,
                            int64_t side);

}  // namespace lapcast::workloads
