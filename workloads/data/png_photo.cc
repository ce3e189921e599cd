#include "data/png_photo.h"

#include <algorithm>
#include <array>
#include <string>

#include "data/jpeg.h"

#ifdef LAPCAST_PNG
#include <png.h>
#endif

namespace lapcast::workloads {

bool is_png(std::span<const uint8_t> file) {
  constexpr std::array<uint8_t, 8> kStart = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  return file.size() >= kStart.size() && std::equal(kStart.begin(), kStart.end(), file.begin());
}

#ifdef LAPCAST_PNG

void read_png(std::span<const uint8_t> file, Photo& into) {
  struct Image : png_image {
    Image() : png_image{} { version = PNG_IMAGE_VERSION; }
    ~Image() { png_image_free(this); }
  } image;
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) {
    throw PhotoError(std::string("no whole PNG file: ") + image.message);
  }
  if (int64_t{image.width} * image.height > kMostPhotoPixels) {
    throw PhotoError("a picture of " + std::to_string(image.width) + "x" +
                     std::to_string(image.height) + " pixels; at most " +
                     std::to_string(kMostPhotoPixels) + " are read");
  }
  image.format = PNG_FORMAT_RGB;
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  into.resize(image.width, image.height);
  const png_color black{0, 0, 0};
  if (png_image_finish_read(&image, &black, into.rgb.data(), 0, nullptr) == 0) {
    throw PhotoError(std::string("no whole PNG file: ") + image.message);
  }
}

#else

void read_png(std::span<const uint8_t>, Photo&) {
  throw PhotoError("a PNG file, and this suite was built without libpng");
}

#endif

}  // namespace lapcast::workloads
