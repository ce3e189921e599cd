#include "data/idx.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "data/classes.h"

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

uint32_t number(ByteReader& reader, const char* what) {
  std::array<uint8_t, 4> b{};
  const uint64_t start = reader.offset();
  if (reader.read(b) < b.size()) {
    reader.fail(start, std::string("the file ends within the ") + what);
  }
  return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | uint32_t{b[3]};
}

void magic(ByteReader& reader, uint32_t expected) {
  const uint32_t found = number(reader, "magic number");
  if (found != expected) {
    reader.fail(0, "magic number " + hex(found) + ", expected " + hex(expected) +
                       (expected == kImagesMagic ? " (images)" : " (labels)"));
  }
}

/// Writes the numbers of the header in big-endian order, then the bytes.
void write_file(const fs::path& file, std::span<const uint32_t> header,
                std::span<const uint8_t> bytes) {
  std::vector<uint8_t> head;
  for (uint32_t n : header) {
    for (int shift : {24, 16, 8, 0}) head.push_back(static_cast<uint8_t>(n >> shift));
  }
  write_bytes(file, {head, bytes});
}

const char* mnist_prefix(MnistPart part) {
  return part == MnistPart::kTraining ? "train" : "t10k";
}

/// Returns the plain file if it exists, else the packed one, or the plain name when neither exists.
fs::path plain_or_packed(const fs::path& file) {
  fs::path packed = file;
  packed += ".gz";
  return !fs::exists(file) && fs::exists(packed) ? packed : file;
}

}  // namespace

IdxImages read_idx_images(const fs::path& file) {
  ByteReader reader(file);
  magic(reader, kImagesMagic);
  const uint64_t count = number(reader, "number of images");
  const uint64_t rows = number(reader, "number of rows");
  const uint64_t columns = number(reader, "number of columns");
  if (count == 0 || rows == 0 || columns == 0) reader.fail(4, "a dimension is 0");
  // Each factor is below 2^32, so the product of two cannot overflow; the third one divides the
  // limit.
  if (rows * columns > kLargestContent / count) reader.fail(4, "the dimensions are too large");
  IdxImages images{
      static_cast<int64_t>(count), static_cast<int64_t>(rows), static_cast<int64_t>(columns), {}};
  images.pixels = reader.rest(count * rows * columns);
  return images;
}

std::vector<uint8_t> read_idx_labels(const fs::path& file, int classes) {
  ByteReader reader(file);
  magic(reader, kLabelsMagic);
  const uint64_t count = number(reader, "number of labels");
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
  const std::vector<size_t> kept = first_of_each_class(labels, n);
  images.count = static_cast<int64_t>(kept.size());
  keep_records(images.pixels, kept, static_cast<size_t>(images.rows * images.columns));
  keep_records(labels, kept);
}

LabelledImages read_labelled_images(const fs::path& folder, const std::string& prefix,
                                    int classes) {
  const fs::path images_file = plain_or_packed(folder / (prefix + "-images-idx3-ubyte"));
  const fs::path labels_file = plain_or_packed(folder / (prefix + "-labels-idx1-ubyte"));
  LabelledImages set{read_idx_images(images_file), read_idx_labels(labels_file, classes)};
  if (set.images.count != static_cast<int64_t>(set.labels.size())) {
    throw FileError(labels_file.string() + ": byte 4: " + std::to_string(set.labels.size()) +
                    " labels for the " + std::to_string(set.images.count) + " images of " +
                    images_file.filename().string());
  }
  return set;
}

void write_labelled_images(const fs::path& folder, const std::string& prefix,
                           const LabelledImages& set, bool gzip) {
  const std::string ending = gzip ? ".gz" : "";
  write_idx_images(folder / (prefix + "-images-idx3-ubyte" + ending), set.images);
  write_idx_labels(folder / (prefix + "-labels-idx1-ubyte" + ending), set.labels);
}

LabelledImages read_mnist(const fs::path& folder, MnistPart part) {
  return read_labelled_images(folder, mnist_prefix(part), kMnistClasses);
}

void write_mnist(const fs::path& folder, MnistPart part, const LabelledImages& set, bool gzip) {
  write_labelled_images(folder, mnist_prefix(part), set, gzip);
}

}  // namespace lapcast::workloads
