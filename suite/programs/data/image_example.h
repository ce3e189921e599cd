#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/tfrecord.h"

namespace lapcast::workloads {

/// Reads and writes labelled images as TensorFlow does: each record of a TFRecord file is a
/// tf.train.Example (a protocol buffer) with the features of TensorFlow's image data sets.
///
///   image/encoded      the bytes of a JPEG or PNG file
///   image/format       "jpeg" or "png"
///   image/filename     the file it was made of
///   image/class/label  the class, an int64
///   image/height, image/width  pixels, int64

struct ImageExample {
  std::vector<uint8_t> encoded;
  std::string format = "jpeg";
  std::string filename;
  std::optional<int64_t> label;  ///< absent when it is not known
  int64_t height = 0;            ///< 0 when the record does not say
  int64_t width = 0;
};

/// Returns the bytes of the tf.train.Example; the features are in the order of their names.
std::vector<uint8_t> example_bytes(const ImageExample& image);

/// Walks through the images of one TFRecord file.
class ImageExampleReader {
 public:
  /// Opens the file. Throws FileError.
  explicit ImageExampleReader(std::filesystem::path file) : records_(std::move(file)) {}

  /// Returns the next image, or nothing at the end of the file. A label is also read from
  /// image/label or label; unknown features are skipped. Throws FileError as TfRecordReader, and
  /// with the byte offset when a record is not a tf.train.Example, a feature has another type than
  /// above, or image/encoded is missing.
  std::optional<ImageExample> next();

  /// Returns the number of images read so far.
  uint64_t count() const { return records_.count(); }

 private:
  TfRecordReader records_;
};

/// Returns the files NAME-00000-of-00018.tfrecord and the like of a folder and those below it, and
/// all other files whose names end in .tfrecord, .tfrec or .tfrecords, in the order of their paths.
/// Names that begin with '.' are left out, as what is not complete has them. Throws FileError when
/// a folder cannot be read or there is no file.
std::vector<std::filesystem::path> tfrecord_files(const std::filesystem::path& folder);

}  // namespace lapcast::workloads
