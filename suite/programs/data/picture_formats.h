#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/picture.h"

namespace lapcast::workloads {

/// Throws PictureError when a picture of this size has no pixels or too many.
void check_picture_size(int64_t height, int64_t width);

/// Returns a black picture. Throws PictureError as check_picture_size() does.
Picture picture_of(int64_t height, int64_t width);

/// Returns whether the content of a file begins as a PNG file does.
bool is_png(std::span<const uint8_t> content);

/// Reads the content of a PNG file; values of 16 bits are reduced to 8. Throws PictureError.
void read_png_picture(std::span<const uint8_t> content, Picture& into);

/// Returns the content of a PNG file of the picture. Throws PictureError.
std::vector<uint8_t> png_content(const Picture& picture);

}  // namespace lapcast::workloads
