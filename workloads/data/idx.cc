#include "data/idx.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kImagesMagic = 0x00000803;
constexpr uint32_t kLabelsMagic = 0x00000801;
constexpr int kMnistClasses = 10;
constexpr uint64_t kLargestContent = uint64_t{1} << 32;

std::string hex(uint32_t value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", value);
  return text.data();
}

/// The content of a plain or packed file, read from its start, with the offset for messages.
class Reader {
 public:
  explicit Reader(fs::path file) : file_(std::move(file)) {
    std::error_code error;
    if (fs::is_directory(file_, error)) throw IdxError(file_.string() + ": is a folder");
    errno = 0;
    gz_.reset(gzopen(file_.c_str(), "rb"));
    if (!gz_) {
      throw IdxError(file_.string() + ": " + (errno ? std::strerror(errno) : "cannot be opened"));
    }
    gzbuffer(gz_.get(), 1 << 18);
  }

  uint32_t number(const char* what) {
    std::array<uint8_t, 4> b{};
    const uint64_t start = offset_;
    if (some(b) < b.size()) fail(start, std::string("the file ends within the ") + what);
    return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | uint32_t{b[3]};
  }

  void magic(uint32_t expected) {
    const uint32_t found = number("magic number");
    if (found != expected) {
      fail(0, "magic number " + hex(found) + ", expected " + hex(expected) +
                  (expected == kImagesMagic ? " (images)" : " (labels)"));
    }
  }

  /// All that is left, which must be `size` bytes. Memory grows with what is really there: a
  /// damaged header that promises gigabytes costs nothing.
  std::vector<uint8_t> rest(uint64_t size) {
    constexpr uint64_t kChunk = uint64_t{1} << 20;
    std::vector<uint8_t> bytes;
    while (bytes.size() < size) {
      const uint64_t had = bytes.size();
      bytes.resize(std::min(size, had + kChunk));
      const size_t got = some(std::span(bytes).subspan(had));
      if (had + got < bytes.size()) {
        fail(offset_, "the file ends, " + std::to_string(size - had - got) + " of " +
                          std::to_string(size) + " bytes are missing");
      }
    }
    std::array<uint8_t, 1> extra{};
    if (some(extra) != 0) fail(offset_ - 1, "bytes follow where the file should end");
    return bytes;
  }

  [[noreturn]] void fail(uint64_t offset, const std::string& what) const {
    throw IdxError(file_.string() + ": byte " + std::to_string(offset) + ": " + what);
  }

 private:
  /// Reads into all of `into` or up to the end of the file; how many bytes it read.
  size_t some(std::span<uint8_t> into) {
    const int got = gzread(gz_.get(), into.data(), static_cast<unsigned>(into.size()));
    int code = Z_OK;
    const char* message = gzerror(gz_.get(), &code);
    if (got < 0 || code == Z_BUF_ERROR) {
      throw IdxError(file_.string() + ": after byte " + std::to_string(offset_) +
                     ": cannot be read: " +
                     (code == Z_ERRNO       ? std::strerror(errno)
                      : code == Z_BUF_ERROR ? "the packed data end too early"
                      : message && *message ? short_message(message)
                                            : "damaged"));
    }
    offset_ += static_cast<uint64_t>(got);
    return static_cast<size_t>(got);
  }

  /// zlib puts the file's name before its message.
  const char* short_message(const char* message) const {
    const std::string prefix = file_.string() + ": ";
    return std::strncmp(message, prefix.c_str(), prefix.size()) == 0 ? message + prefix.size()
                                                                     : message;
  }

  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  fs::path file_;
  std::unique_ptr<gzFile_s, Close> gz_;
  uint64_t offset_ = 0;
};

/// Writes the header's numbers, big-endian, then the bytes.
void write_file(const fs::path& file, std::span<const uint32_t> header,
                std::span<const uint8_t> bytes) {
  std::vector<uint8_t> head;
  for (uint32_t n : header) {
    for (int shift : {24, 16, 8, 0}) head.push_back(static_cast<uint8_t>(n >> shift));
  }
  errno = 0;
  // "T" writes the bytes as they are. Level 1 packs noise as well as level 9 and is quicker.
  gzFile gz = gzopen(file.c_str(), file.extension() == ".gz" ? "wb1" : "wbT");
  if (!gz) throw IdxError(file.string() + ": " + std::strerror(errno));
  gzbuffer(gz, 1 << 18);
  bool written = gzwrite(gz, head.data(), static_cast<unsigned>(head.size())) > 0;
  constexpr size_t kChunk = size_t{64} << 20;  // gzwrite counts in an unsigned int
  for (size_t at = 0; written && at < bytes.size(); at += kChunk) {
    const size_t n = std::min(kChunk, bytes.size() - at);
    written = gzwrite(gz, bytes.data() + at, static_cast<unsigned>(n)) == static_cast<int>(n);
  }
  if (gzclose(gz) == Z_OK && written) return;
  const std::string why = errno ? std::strerror(errno) : "cannot be written";
  std::error_code ignored;
  fs::remove(file, ignored);
  throw IdxError(file.string() + ": " + why);
}

fs::path file_name(MnistPart part, const char* rest) {
  return std::string(part == MnistPart::kTraining ? "train-" : "t10k-") + rest;
}

/// The plain file if there is one, else the packed one; the plain name when neither exists.
fs::path plain_or_packed(const fs::path& file) {
  fs::path packed = file;
  packed += ".gz";
  return !fs::exists(file) && fs::exists(packed) ? packed : file;
}

}  // namespace

IdxImages read_idx_images(const fs::path& file) {
  Reader reader(file);
  reader.magic(kImagesMagic);
  const uint64_t count = reader.number("number of images");
  const uint64_t rows = reader.number("number of rows");
  const uint64_t columns = reader.number("number of columns");
  if (count == 0 || rows == 0 || columns == 0) reader.fail(4, "a dimension is 0");
  // Each factor is below 2^32: two of them cannot overflow, and the third is divided.
  if (rows * columns > kLargestContent / count) reader.fail(4, "the dimensions are too large");
  IdxImages images{
      static_cast<int64_t>(count), static_cast<int64_t>(rows), static_cast<int64_t>(columns), {}};
  images.pixels = reader.rest(count * rows * columns);
  return images;
}

std::vector<uint8_t> read_idx_labels(const fs::path& file, int classes) {
  Reader reader(file);
  reader.magic(kLabelsMagic);
  const uint64_t count = reader.number("number of labels");
  if (count == 0) reader.fail(4, "a dimension is 0");
  std::vector<uint8_t> labels = reader.rest(count);
  const auto wrong = std::find_if(labels.begin(), labels.end(),
                                  [classes](uint8_t label) { return label >= classes; });
  if (wrong != labels.end()) {
    constexpr uint64_t kHeaderBytes = 8;
    reader.fail(
        kHeaderBytes + static_cast<uint64_t>(wrong - labels.begin()),
        "label " + std::to_string(*wrong) + ", expected 0 to " + std::to_string(classes - 1));
  }
  return labels;
}

void write_idx_images(const fs::path& file, const IdxImages& images) {
  const std::array<uint32_t, 4> header = {kImagesMagic, static_cast<uint32_t>(images.count),
                                          static_cast<uint32_t>(images.rows),
                                          static_cast<uint32_t>(images.columns)};
  write_file(file, header, images.pixels);
}

void write_idx_labels(const fs::path& file, const std::vector<uint8_t>& labels) {
  const std::array<uint32_t, 2> header = {kLabelsMagic, static_cast<uint32_t>(labels.size())};
  write_file(file, header, labels);
}

void LabelledImages::keep_first(int64_t n) {
  if (n <= 0 || n >= images.count) return;
  images.count = n;
  images.pixels.resize(static_cast<size_t>(n * images.rows * images.columns));
  labels.resize(static_cast<size_t>(n));
}

LabelledImages read_mnist(const fs::path& folder, MnistPart part) {
  const fs::path images_file = plain_or_packed(folder / file_name(part, "images-idx3-ubyte"));
  const fs::path labels_file = plain_or_packed(folder / file_name(part, "labels-idx1-ubyte"));
  LabelledImages set{read_idx_images(images_file), read_idx_labels(labels_file, kMnistClasses)};
  if (set.images.count != static_cast<int64_t>(set.labels.size())) {
    throw IdxError(labels_file.string() + ": byte 4: " + std::to_string(set.labels.size()) +
                   " labels for the " + std::to_string(set.images.count) + " images of " +
                   images_file.filename().string());
  }
  return set;
}

void write_mnist(const fs::path& folder, MnistPart part, const LabelledImages& set, bool gzip) {
  const std::string ending = gzip ? ".gz" : "";
  write_idx_images((folder / file_name(part, "images-idx3-ubyte")) += ending, set.images);
  write_idx_labels((folder / file_name(part, "labels-idx1-ubyte")) += ending, set.labels);
}

}  // namespace lapcast::workloads
