#include "data/picture.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "data/byte_file.h"
#include "data/picture_formats.h"

#ifdef LAPCAST_TURBOJPEG
#include "data/jpeg.h"
#endif

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const uint8_t>;

constexpr uint64_t kMostBytes = 256 << 20;  // of a file

bool begins_with(Bytes content, std::string_view text) {
  return content.size() >= text.size() &&
         std::equal(text.begin(), text.end(), content.begin(),
                    [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
}

/// Reads the fields of a PPM header: numbers between blanks and comments.
class PpmFields {
 public:
  explicit PpmFields(std::string_view text) : rest_(text) {}

  std::optional<int64_t> next() {
    skip_blanks();
    int64_t value = 0;
    const char* begin = rest_.data();
    const auto [end, error] = std::from_chars(begin, begin + rest_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - begin));
    return value;
  }
  /// Returns what follows the one blank after the last field.
  std::string_view pixels() const { return rest_.substr(std::min<size_t>(1, rest_.size())); }

 private:
  void skip_blanks() {
    while (!rest_.empty()) {
      if (rest_[0] == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos) {
        rest_.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  std::string_view rest_;
};

Picture read_ppm(Bytes content) {
  PpmFields fields({reinterpret_cast<const char*>(content.data()) + 2, content.size() - 2});
  const auto width = fields.next(), height = fields.next(), most = fields.next();
  if (!width || !height || !most) throw PictureError("the PPM header is damaged");
  if (*most != 255) throw PictureError("a PPM file of another depth than 8 bits (255)");
  check_picture_size(*height, *width);
  const std::string_view pixels = fields.pixels();
  const auto bytes = static_cast<size_t>(3 * *height * *width);
  if (pixels.size() < bytes) {
    throw PictureError("the PPM file ends early: " + std::to_string(pixels.size()) + " of " +
                       std::to_string(bytes) + " bytes of pixels");
  }
  Picture picture = picture_of(*height, *width);
  std::copy_n(pixels.begin(), picture.pixels.size(), picture.pixels.begin());
  return picture;
}

Picture read_jpeg([[maybe_unused]] Bytes content) {
#ifdef LAPCAST_TURBOJPEG
  JpegReader reader;
  Picture picture;
  reader.open(content);
  reader.decode(1, picture);
  return picture;
#else
  throw PictureError("a JPEG file, and this build has no libjpeg-turbo");
#endif
}

Picture read_png(Bytes content) {
  Picture picture;
  read_png_picture(content, picture);
  return picture;
}

Picture read_any(Bytes content) {
  if (is_png(content)) return read_png(content);
  if (begins_with(content, "\xff\xd8\xff")) return read_jpeg(content);
  if (begins_with(content, "P6")) return read_ppm(content);
  throw PictureError(content.empty() ? "the file is empty" : "no PNG, JPEG or PPM (P6) picture");
}

}  // namespace

bool is_png(Bytes content) {
  return begins_with(content, "\x89PNG\r\n\x1a\n");
}

void check_picture_size(int64_t height, int64_t width) {
  const std::string size = std::to_string(height) + "x" + std::to_string(width);
  if (height < 1 || width < 1) throw PictureError("a picture of " + size + " pixels");
  if (std::max(height, width) > kLargestSide || height > kMostPixels / width) {
    throw PictureError("a picture of " + size + " pixels is larger than " +
                       std::to_string(kLargestSide) + " pixels a side or " +
                       std::to_string(kMostPixels >> 20) + " Mi pixels");
  }
}

Picture picture_of(int64_t height, int64_t width) {
  check_picture_size(height, width);
  return {height, width, std::vector<uint8_t>(static_cast<size_t>(3 * height * width))};
}

Picture read_picture(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    throw FileError(file.string() + ": " +
                    (fs::exists(file, error) ? "not a regular file" : "no such file"));
  }
  const std::vector<uint8_t> content = ByteReader(file).at_most(kMostBytes);
  try {
    return read_any(content);
  } catch (const PictureError& problem) {
    throw FileError(file.string() + ": " + problem.what());
  }
}

void write_picture(const fs::path& file, const Picture& picture) {
  try {
    const std::vector<uint8_t> content = png_content(picture);
    write_bytes(file, {content});
  } catch (const PictureError& problem) {
    throw FileError(file.string() + ": " + problem.what());
  }
}

}  // namespace lapcast::workloads
