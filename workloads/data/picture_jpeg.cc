#include <array>
#include <csetjmp>
#include <cstdio>
#include <string>

#include "data/picture_formats.h"

#ifdef LAPCAST_LIBJPEG
#include <jpeglib.h>
#endif

namespace lapcast::workloads {

#ifdef LAPCAST_LIBJPEG
namespace {

/// Takes libjpeg's messages. Errors and warnings both end the reading, because after a warning the
/// pixels are libjpeg's guesses.
struct JpegErrors : jpeg_error_mgr {
  std::jmp_buf back;
  std::array<char, JMSG_LENGTH_MAX> text = {};
};

void leave(j_common_ptr jpeg) {
  auto* errors = static_cast<JpegErrors*>(jpeg->err);
  errors->format_message(jpeg, errors->text.data());
  std::longjmp(errors->back, 1);
}

void leave_on_warning(j_common_ptr jpeg, int level) {
  if (level < 0) leave(jpeg);
}

/// Reads into `picture`, which belongs to the caller: libjpeg's errors jump over this function,
/// which therefore has no objects of its own. Returns false after an error.
bool read_rows(jpeg_decompress_struct& jpeg, JpegErrors& errors, std::span<const uint8_t> content,
               Picture& picture, std::string& refusal) {
  if (setjmp(errors.back)) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, content.data(), content.size());
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  try {
    picture = picture_of(jpeg.image_height, jpeg.image_width);
  } catch (const PictureError& error) {
    refusal = error.what();
    return false;
  }
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = picture.at(jpeg.output_scanline, 0);
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

}  // namespace

Picture read_jpeg_picture(std::span<const uint8_t> content) {
  jpeg_decompress_struct jpeg = {};
  JpegErrors errors;
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = leave;
  errors.emit_message = leave_on_warning;
  Picture picture;
  std::string refusal;
  const bool complete = read_rows(jpeg, errors, content, picture, refusal);
  jpeg_destroy_decompress(&jpeg);
  if (!complete) {
    throw PictureError(refusal.empty()
                           ? "the JPEG file cannot be read: " + std::string(errors.text.data())
                           : refusal);
  }
  return picture;
}

#else

Picture read_jpeg_picture(std::span<const uint8_t>) {
  throw PictureError("a JPEG file, and this build has no libjpeg");
}

#endif

}  // namespace lapcast::workloads
