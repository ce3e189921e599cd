#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/byte_file.h"

namespace lapcast::workloads {

/// Reads and writes the IDX files of MNIST, which the data set's own page describes: a big-endian
/// magic number 0x000008RR (unsigned bytes, RR dimensions), each dimension as a big-endian 32-bit
/// number, then the bytes. Gzip files are read without unpacking them first.

struct IdxImages {
  int64_t count = 0;
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<uint8_t> pixels;  ///< count x rows x columns, 0..255
};

/// Reads the images of an idx3 file. Throws FileError when the file is missing or unreadable, the
/// gzip data are damaged, the magic number is wrong, there are no pixels or more than 2^32 bytes,
/// or the file is too short or too long.
IdxImages read_idx_images(const std::filesystem::path& file);

/// Reads the labels of an idx1 file. Throws FileError for the same reasons, and when a label is not
/// below `classes`.
std::vector<uint8_t> read_idx_labels(const std::filesystem::path& file, int classes);

/// Writes an idx3 or idx1 file, packed when its name ends in ".gz". Throws FileError when the file
/// cannot be written; an incomplete file is removed.
void write_idx_images(const std::filesystem::path& file, const IdxImages& images);
void write_idx_labels(const std::filesystem::path& file, const std::vector<uint8_t>& labels);

/// Holds images with their labels.
struct LabelledImages {
  IdxImages images;
  std::vector<uint8_t> labels;  ///< one per image

  /// Keeps n images, the first of each class (first_of_each_class()), or all when n is 0.
  void keep_first(int64_t n);
};

/// Reads PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte of a folder, each plain or with .gz
/// (the plain file has precedence), with labels below `classes`. Throws FileError, also when the
/// numbers of images and labels differ.
LabelledImages read_labelled_images(const std::filesystem::path& folder, const std::string& prefix,
                                    int classes);

/// Writes both files.
void write_labelled_images(const std::filesystem::path& folder, const std::string& prefix,
                           const LabelledImages& set, bool gzip);

enum class MnistPart { kTraining, kTest };

/// Reads one part of an MNIST folder; the prefixes are train and t10k.
LabelledImages read_mnist(const std::filesystem::path& folder, MnistPart part);

/// Writes one part under its usual names.
void write_mnist(const std::filesystem::path& folder, MnistPart part, const LabelledImages& set,
                 bool gzip);

}  // namespace lapcast::workloads
