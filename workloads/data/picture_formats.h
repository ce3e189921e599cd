#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "data/picture.h"

namespace lapcast::workloads {

/// Reports in one line, without the file's name, why a picture cannot be read or written.
struct PictureError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws PictureError when a picture of this size has no pixels or too many.
void check_picture_size(int64_t height, int64_t width);

/// Returns a black picture. Throws PictureError as check_picture_size() does.
Picture picture_of(int64_t height, int64_t width);

/// Reads the content of a PNG file. Throws PictureError.
Picture read_png_picture(std::span<const uint8_t> content);

/// Reads the content of a JPEG file. Throws PictureError.
Picture read_jpeg_picture(std::span<const uint8_t> content);

/// Returns the content of a PNG file of the picture. Throws PictureError.
std::vector<uint8_t> png_content(const Picture& picture);

}  // namespace lapcast::workloads
