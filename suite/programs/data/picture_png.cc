#include <string>

#include "data/picture_formats.h"

#ifdef LAPCAST_LIBPNG
#include <png.h>
#endif

namespace lapcast::workloads {

#ifdef LAPCAST_LIBPNG
namespace {

/// Holds libpng's state of one picture and frees it.
struct PngImage {
  png_image image = {};
  PngImage() { image.version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(&image); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;

  /// Throws PictureError with libpng's message unless the call went well.
  void check(int ok) {
    if (!ok) throw PictureError("the PNG file is damaged: " + std::string(image.message));
  }
};

}  // namespace

void read_png_picture(std::span<const uint8_t> content, Picture& into) {
  PngImage png;
  png.check(png_image_begin_read_from_memory(&png.image, content.data(), content.size()));
  png.image.format = PNG_FORMAT_RGB;
  png.image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  check_picture_size(png.image.height, png.image.width);
  into.resize(png.image.width, png.image.height);
  const png_color black = {0, 0, 0};
  png.check(png_image_finish_read(&png.image, &black, into.pixels.data(), 0, nullptr));
}

std::vector<uint8_t> png_content(const Picture& picture) {
  PngImage png;
  png.image.width = static_cast<png_uint_32>(picture.width);
  png.image.height = static_cast<png_uint_32>(picture.height);
  png.image.format = PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png.image);
  std::vector<uint8_t> content(bytes);
  if (!png_image_write_to_memory(&png.image, content.data(), &bytes, 0, picture.pixels.data(), 0,
                                 nullptr)) {
    throw PictureError("cannot be packed as PNG: " + std::string(png.image.message));
  }
  content.resize(bytes);
  return content;
}

#else

void read_png_picture(std::span<const uint8_t>, Picture&) {
  throw PictureError("a PNG file, and this build has no libpng");
}

std::vector<uint8_t> png_content(const Picture&) {
  throw PictureError("cannot be written: this build has no libpng");
}

#endif

}  // namespace lapcast::workloads
