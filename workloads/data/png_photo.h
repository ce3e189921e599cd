#pragma once

#include <cstdint>
#include <span>

#include "data/photo.h"

namespace lapcast::workloads {

/// Returns whether bytes begin as a PNG file does.
bool is_png(std::span<const uint8_t> file);

/// Reads a PNG file in memory, with libpng: grey or colour, of 1 to 16 bits, which become 8;
/// transparent pixels lie over black. Throws PhotoError when the file is damaged, has more than
/// kMostPhotoPixels, or the suite was built without libpng.
void read_png(std::span<const uint8_t> file, Photo& into);

}  // namespace lapcast::workloads
