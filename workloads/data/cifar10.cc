#include "data/cifar10.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw Cifar10Error(file.string() + ": " + what);
}

[[noreturn]] void fail_at(const fs::path& file, int64_t offset, const std::string& what) {
  fail(file, "byte " + std::to_string(offset) + ": " + what);
}

struct Close {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Close>;

File open(const fs::path& file, const char* mode) {
  std::error_code error;
  if (fs::is_directory(file, error)) fail(file, "is a folder");
  File opened(std::fopen(file.c_str(), mode));
  if (!opened) fail(file, std::strerror(errno));
  return opened;
}

/// All bytes, but no more than one above what the largest file may have.
std::vector<uint8_t> read_bytes(const fs::path& file) {
  constexpr size_t kChunk = size_t{1} << 20;
  constexpr size_t kMost = kCifarRecordsPerFile * kCifarRecordBytes + 1;
  const File in = open(file, "rb");
  std::vector<uint8_t> bytes;
  while (bytes.size() < kMost) {
    const size_t had = bytes.size();
    bytes.resize(std::min(kMost, had + kChunk));
    const size_t got = std::fread(bytes.data() + had, 1, bytes.size() - had, in.get());
    if (had + got == bytes.size()) continue;
    if (std::ferror(in.get())) fail_at(file, static_cast<int64_t>(had + got), "cannot be read");
    bytes.resize(had + got);
    break;
  }
  return bytes;
}

void check_size(const fs::path& file, int64_t size) {
  if (size == 0) fail_at(file, 0, "the file is empty");
  if (size > kCifarRecordsPerFile * kCifarRecordBytes) {
    fail_at(file, kCifarRecordsPerFile * kCifarRecordBytes,
            "bytes follow where the file should end, after 10000 records");
  }
  if (size % kCifarRecordBytes == 0) return;
  fail_at(file, size,
          "the file ends within record " + std::to_string(size / kCifarRecordBytes + 1) + ", " +
              std::to_string(kCifarRecordBytes - size % kCifarRecordBytes) +
              " of 3073 bytes are missing");
}

void append(Cifar10Images& to, const Cifar10Images& from) {
  to.pixels.insert(to.pixels.end(), from.pixels.begin(), from.pixels.end());
  to.labels.insert(to.labels.end(), from.labels.begin(), from.labels.end());
}

fs::path training_file(const fs::path& folder, int number) {
  return folder / ("data_batch_" + std::to_string(number) + ".bin");
}

Cifar10Images read_training(const fs::path& folder) {
  Cifar10Images all;
  int64_t first_count = 0;
  for (int number = 1; number <= kCifarTrainingFiles; ++number) {
    const fs::path file = training_file(folder, number);
    const Cifar10Images images = read_cifar10_file(file);
    if (number == 1) first_count = images.count();
    if (std::abs(images.count() - first_count) > 1) {
      fail_at(file, images.count() * kCifarRecordBytes,
              "the file ends after " + std::to_string(images.count()) +
                  " records, data_batch_1.bin after " + std::to_string(first_count));
    }
    append(all, images);
  }
  return all;
}

/// Writes the images [begin, end).
void write_file(const fs::path& file, const Cifar10Images& images, int64_t begin, int64_t end) {
  errno = 0;
  File out = open(file, "wb");
  bool written = true;
  for (int64_t i = begin; written && i < end; ++i) {
    written = std::fputc(images.labels[static_cast<size_t>(i)], out.get()) != EOF &&
              std::fwrite(images.pixels.data() + i * kCifarPixels, kCifarPixels, 1, out.get()) == 1;
  }
  written = std::fclose(out.release()) == 0 && written;
  if (written) return;
  const std::string why = errno ? std::strerror(errno) : "cannot be written";
  std::error_code ignored;
  fs::remove(file, ignored);
  fail(file, why);
}

}  // namespace

void Cifar10Images::keep_first(int64_t n) {
  if (n <= 0 || n >= count()) return;
  pixels.resize(static_cast<size_t>(n * kCifarPixels));
  labels.resize(static_cast<size_t>(n));
}

Cifar10Images read_cifar10_file(const fs::path& file) {
  const std::vector<uint8_t> bytes = read_bytes(file);
  const auto size = static_cast<int64_t>(bytes.size());
  check_size(file, size);
  Cifar10Images images;
  images.pixels.reserve(static_cast<size_t>(size / kCifarRecordBytes * kCifarPixels));
  for (int64_t at = 0; at < size; at += kCifarRecordBytes) {
    const uint8_t* record = bytes.data() + at;
    if (*record >= kCifarClasses) {
      fail_at(file, at, "label " + std::to_string(*record) + ", expected 0 to 9");
    }
    images.labels.push_back(*record);
    images.pixels.insert(images.pixels.end(), record + 1, record + kCifarRecordBytes);
  }
  return images;
}

Cifar10Images read_cifar10(const fs::path& folder, Cifar10Part part) {
  const fs::path unpacked = folder / "cifar-10-batches-bin";
  const fs::path& place = fs::is_directory(unpacked) ? unpacked : folder;
  return part == Cifar10Part::kTraining ? read_training(place)
                                        : read_cifar10_file(place / "test_batch.bin");
}

void write_cifar10(const fs::path& folder, Cifar10Part part, const Cifar10Images& images) {
  const int files = part == Cifar10Part::kTraining ? kCifarTrainingFiles : 1;
  const int64_t count = images.count();
  if (count < files || count > files * kCifarRecordsPerFile) {
    fail(folder, std::to_string(count) + " images do not fit: the part has " +
                     std::to_string(files) + " to " +
                     std::to_string(files * kCifarRecordsPerFile));
  }
  for (int number = 1; number <= files; ++number) {
    const fs::path file =
        files == 1 ? folder / "test_batch.bin" : training_file(folder, number);
    write_file(file, images, count * (number - 1) / files, count * number / files);
  }
}

}  // namespace lapcast::workloads
