#include "data/cifar10.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "data/classes.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLargestFile = kCifarRecordsPerFile * kCifarRecordBytes;

void check_size(const ByteReader& reader, int64_t size) {
  if (size == 0) reader.fail(0, "the file is empty");
  if (size > kLargestFile) {
    reader.fail(kLargestFile, "bytes follow where the file should end, after 10000 records");
  }
  if (size % kCifarRecordBytes == 0) return;
  reader.fail(static_cast<uint64_t>(size),
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
      throw FileError(file.string() + ": byte " +
                      std::to_string(images.count() * kCifarRecordBytes) +
                      ": the file ends after " + std::to_string(images.count()) +
                      " records, data_batch_1.bin after " + std::to_string(first_count));
    }
    append(all, images);
  }
  return all;
}

/// Returns the records of the images [begin, end).
std::vector<uint8_t> records_of(const Cifar10Images& images, int64_t begin, int64_t end) {
  std::vector<uint8_t> bytes;
  bytes.reserve(static_cast<size_t>((end - begin) * kCifarRecordBytes));
  for (int64_t i = begin; i < end; ++i) {
    const uint8_t* pixels = images.pixels.data() + i * kCifarPixels;
    bytes.push_back(images.labels[static_cast<size_t>(i)]);
    bytes.insert(bytes.end(), pixels, pixels + kCifarPixels);
  }
  return bytes;
}

}  // namespace

void Cifar10Images::keep_first(int64_t n) {
  const std::vector<size_t> kept = first_of_each_class(labels, n);
  keep_records(pixels, kept, kCifarPixels);
  keep_records(labels, kept);
}

Cifar10Images read_cifar10_file(const fs::path& file) {
  ByteReader reader(file);
  const std::vector<uint8_t> bytes = reader.at_most(kLargestFile + 1);
  const auto size = static_cast<int64_t>(bytes.size());
  check_size(reader, size);
  Cifar10Images images;
  images.pixels.reserve(static_cast<size_t>(size / kCifarRecordBytes * kCifarPixels));
  for (int64_t at = 0; at < size; at += kCifarRecordBytes) {
    const uint8_t* record = bytes.data() + at;
    if (*record >= kCifarClasses) {
      reader.fail(static_cast<uint64_t>(at),
                  "label " + std::to_string(*record) + ", expected 0 to 9");
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
    throw FileError(folder.string() + ": " + std::to_string(count) +
                    " images do not fit: the part has " + std::to_string(files) + " to " +
                    std::to_string(files * kCifarRecordsPerFile));
  }
  for (int number = 1; number <= files; ++number) {
    const fs::path file = files == 1 ? folder / "test_batch.bin" : training_file(folder, number);
    const std::vector<uint8_t> records =
        records_of(images, count * (number - 1) / files, count * number / files);
    write_bytes(file, {records});
  }
}

}  // namespace lapcast::workloads
