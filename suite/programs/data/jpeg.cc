#include "data/jpeg.h"

#include <turbojpeg.h>

#include <string>

#include "data/picture_formats.h"

namespace lapcast::workloads {
namespace {

std::shared_ptr<void> checked_handle(tjhandle handle) {
  if (handle == nullptr) throw PictureError("libjpeg-turbo cannot be used");
  return {handle, tjDestroy};
}

[[noreturn]] void throw_jpeg_error(tjhandle handle) {
  throw PictureError(std::string("no whole JPEG file: ") + tjGetErrorStr2(handle));
}

}  // namespace

JpegReader::JpegReader() : decoder_(checked_handle(tjInitDecompress())) {}

JpegReader::Size JpegReader::open(std::span<const uint8_t> file) {
  int width = 0, height = 0, sampling = 0, colours = 0;
  if (tjDecompressHeader3(decoder_.get(), file.data(), file.size(), &width, &height, &sampling,
                          &colours) != 0) {
    throw_jpeg_error(decoder_.get());
  }
  if (colours == TJCS_CMYK || colours == TJCS_YCCK) {
    throw PictureError("a JPEG file of CMYK colours; only grey and RGB pictures are read");
  }
  check_picture_size(height, width);
  file_ = file;
  size_ = {width, height};
  return size_;
}

void JpegReader::decode(int reduction, Picture& into) {
  into.resize((size_.width + reduction - 1) / reduction,
              (size_.height + reduction - 1) / reduction);
  if (tjDecompress2(decoder_.get(), file_.data(), file_.size(), into.pixels.data(),
                    static_cast<int>(into.width), 0, static_cast<int>(into.height), TJPF_RGB,
                    TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS) != 0) {
    throw_jpeg_error(decoder_.get());
  }
}

void JpegReader::decode_entropy_only() {
  if (!transformer_) transformer_ = checked_handle(tjInitTransform());
  tjtransform nothing{};
  nothing.options = TJXOPT_NOOUTPUT;
  unsigned char* output = nullptr;
  unsigned long size = 0;  // NOLINT: TurboJPEG's type
  if (tjTransform(transformer_.get(), file_.data(), file_.size(), 1, &output, &size, &nothing, 0) !=
      0) {
    throw_jpeg_error(transformer_.get());
  }
}

JpegWriter::JpegWriter(int quality)
    : quality_(quality), encoder_(checked_handle(tjInitCompress())) {}

std::span<const uint8_t> JpegWriter::write(const Picture& photo) {
  const auto width = static_cast<int>(photo.width), height = static_cast<int>(photo.height);
  unsigned long size = tjBufSize(width, height, TJSAMP_420);  // NOLINT: TurboJPEG's type
  if (bytes_.size() < size) bytes_.resize(size);
  unsigned char* to = bytes_.data();
  if (tjCompress2(encoder_.get(), photo.pixels.data(), width, 0, height, TJPF_RGB, &to, &size,
                  TJSAMP_420, quality_, TJFLAG_NOREALLOC) != 0) {
    throw PictureError(std::string("cannot be written as JPEG: ") + tjGetErrorStr2(encoder_.get()));
  }
  return std::span(bytes_).first(size);
}

}  // namespace lapcast::workloads
