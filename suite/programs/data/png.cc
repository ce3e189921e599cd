#include "data/png.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "data/png_filters.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const uint8_t>;

constexpr std::array<uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr size_t kHeaderBytes = 13;
constexpr uint8_t kGrey = 0;
constexpr size_t kUsualFile = size_t{1} << 18;
constexpr size_t kLargestFile = size_t{64} << 20;

[[noreturn]] void fail(const fs::path& file, size_t offset, const std::string& what) {
  throw FileError(file.string() + ": byte " + std::to_string(offset) + ": " + what);
}

uint32_t number(Bytes four) {
  return uint32_t{four[0]} << 24 | uint32_t{four[1]} << 16 | uint32_t{four[2]} << 8 | four[3];
}

struct Chunk {
  size_t offset;  ///< offset of its length field in the file
  std::string_view type;
  Bytes data;
  bool critical() const { return (type[0] & 0x20) == 0; }  // section 11.3: a capital letter
};

/// Reads the chunks of a file one after the other and checks their checksums.
class Chunks {
 public:
  Chunks(const fs::path& file, Bytes content) : file_(file), content_(content) {
    if (content.size() < kSignature.size() ||
        !std::equal(kSignature.begin(), kSignature.end(), content.begin())) {
      fail(file, 0, "not a PNG file");
    }
  }

  Chunk next() {
    constexpr size_t kAround = 12;  // length, type, checksum
    const Bytes rest = content_.subspan(at_);
    if (rest.size() < kAround) fail(file_, content_.size(), "the file ends before its IEND chunk");
    const size_t size = number(rest);
    const Chunk chunk{at_, {reinterpret_cast<const char*>(rest.data()) + 4, 4}, {}};
    if (size > rest.size() - kAround) fail(file_, content_.size(), ends_within(chunk, size, rest));
    if (crc32_of(rest.subspan(4, 4 + size)) != number(rest.subspan(8 + size))) {
      fail(file_, at_, "the checksum of this chunk does not match: damaged");
    }
    at_ += kAround + size;
    return {chunk.offset, chunk.type, rest.subspan(8, size)};
  }

  bool at_end() const { return at_ == content_.size(); }
  size_t offset() const { return at_; }

 private:
  static std::string ends_within(const Chunk& chunk, size_t size, Bytes rest) {
    return "the file ends within the chunk of byte " + std::to_string(chunk.offset) + ", " +
           std::to_string(size + 12 - rest.size()) + " of its bytes are missing";
  }

  const fs::path& file_;
  Bytes content_;
  size_t at_ = kSignature.size();
};

std::string text_of(ImageSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

void check_header(const fs::path& file, const Chunk& header, ImageSize expected) {
  const size_t data = header.offset + 8;
  if (header.type != "IHDR" || header.data.size() != kHeaderBytes) {
    fail(file, header.offset, "the first chunk is not an IHDR of 13 bytes");
  }
  const ImageSize size{number(header.data), number(header.data.subspan(4))};
  if (size != expected) {
    fail(file, data, text_of(size) + " pixels, expected " + text_of(expected));
  }
  if (header.data[8] != 8 || header.data[9] != kGrey) {
    fail(file, data + 8,
         std::to_string(header.data[8]) + " bits of colour type " + std::to_string(header.data[9]) +
             ", expected 8 bits of grey (type 0)");
  }
  if (header.data[10] != 0 || header.data[11] != 0 || header.data[12] != 0) {
    fail(file, data + 10, "another packing or filtering, or interlaced: cannot be read here");
  }
}

/// Appends all IDAT chunks to `packed` and checks all chunks up to the end. Returns the offset of
/// the first IDAT.
size_t collect_pixels(const fs::path& file, Chunks& chunks, std::vector<uint8_t>& packed) {
  size_t first = 0;
  packed.clear();
  for (;;) {
    const Chunk chunk = chunks.next();
    if (chunk.type == "IEND") break;
    if (chunk.type == "IDAT") {
      if (first == 0) first = chunk.offset;
      packed.insert(packed.end(), chunk.data.begin(), chunk.data.end());
    } else if (chunk.critical()) {
      fail(file, chunk.offset, "a chunk that a grey image does not have");
    }
  }
  if (!chunks.at_end()) fail(file, chunks.offset(), "bytes follow where the file should end");
  if (first == 0) fail(file, chunks.offset(), "no pixels (IDAT chunks)");
  return first;
}

/// Returns the filter with the smallest sum of differences, read as signed numbers, and stores its
/// row in `best`.
PngFilter choose_filter(Bytes row, Bytes above, std::vector<uint8_t>& best,
                        std::vector<uint8_t>& trial) {
  PngFilter choice = kNone;
  int64_t smallest = INT64_MAX;
  for (uint8_t filter = kNone; filter < kFilters; ++filter) {
    filter_row(PngFilter{filter}, row, above, trial);
    int64_t sum = 0;
    for (uint8_t b : trial) sum += std::abs(static_cast<int8_t>(b));
    if (sum >= smallest) continue;
    smallest = sum;
    choice = PngFilter{filter};
    best.swap(trial);
  }
  return choice;
}

std::vector<uint8_t> filter_image(ImageSize size, Bytes pixels) {
  const auto width = static_cast<size_t>(size.width);
  std::vector<uint8_t> filtered, best(width), trial(width);
  const std::vector<uint8_t> zeros(width);
  Bytes above = zeros;
  for (size_t y = 0; y < static_cast<size_t>(size.height); ++y) {
    const Bytes row = pixels.subspan(y * width, width);
    filtered.push_back(choose_filter(row, above, best, trial));
    filtered.insert(filtered.end(), best.begin(), best.end());
    above = row;
  }
  return filtered;
}

void append_number(std::vector<uint8_t>& to, size_t value) {
  for (int shift : {24, 16, 8, 0}) to.push_back(static_cast<uint8_t>(value >> shift));
}

void append_chunk(std::vector<uint8_t>& to, std::string_view type, Bytes data) {
  append_number(to, data.size());
  const size_t begin = to.size();
  to.insert(to.end(), type.begin(), type.end());
  to.insert(to.end(), data.begin(), data.end());
  append_number(to, crc32_of(Bytes(to).subspan(begin)));
}

}  // namespace

Bytes PngReader::load(const fs::path& file) {
  ByteReader in(file);
  if (content_.empty()) content_.resize(kUsualFile);
  size_t got = 0;
  while (size_t n = in.read(std::span(content_).subspan(got))) {
    got += n;
    if (got > kLargestFile) in.fail(got, "too large for an image of " + text_of(size_));
    if (got == content_.size()) content_.resize(2 * got);
  }
  return Bytes(content_).first(got);
}

Bytes PngReader::read(const fs::path& file) {
  Chunks chunks(file, load(file));
  check_header(file, chunks.next(), size_);
  const size_t first = collect_pixels(file, chunks, packed_);
  const auto stride = static_cast<size_t>(size_.width) + 1;  // the filter's byte is first
  filtered_.resize(stride * static_cast<size_t>(size_.height));
  if (!inflater_.unpack(packed_, filtered_)) {
    fail(file, first, "the packed pixels from here on are damaged, or not " + text_of(size_));
  }
  const auto width = static_cast<size_t>(needed_.width);
  const auto height = static_cast<size_t>(needed_.height);
  pixels_.assign(width * (height + 1), 0);  // a row of zeros above the first
  const std::span<uint8_t> rows(pixels_);
  for (size_t y = 0; y < static_cast<size_t>(size_.height); ++y) {
    const uint8_t filter = filtered_[y * stride];
    if (filter >= kFilters) {
      fail(file, first, "row " + std::to_string(y) + ": no such filter: " + std::to_string(filter));
    }
    if (y >= height) continue;
    unfilter_row(PngFilter{filter}, Bytes(filtered_).subspan(y * stride + 1, width),
                 rows.subspan(y * width, width), rows.subspan((y + 1) * width, width));
  }
  return rows.subspan(width);
}

void write_png(const fs::path& file, ImageSize size, Bytes pixels) {
  std::vector<uint8_t> header;
  append_number(header, static_cast<size_t>(size.width));
  append_number(header, static_cast<size_t>(size.height));
  header.insert(header.end(), {8, kGrey, 0, 0, 0});
  std::vector<uint8_t> content(kSignature.begin(), kSignature.end());
  append_chunk(content, "IHDR", header);
  append_chunk(content, "IDAT", deflate_bytes(filter_image(size, pixels)));
  append_chunk(content, "IEND", {});
  write_bytes(file, {content});
}

}  // namespace lapcast::workloads
