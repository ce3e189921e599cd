#include "data/jpeg_set.h"

#include <algorithm>
#include <utility>

#include "data/classes.h"
#include "data/image_example.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

/// Calls visit(picture, place) for every picture of the files.
template <typename Visit>
void each_picture(std::span<const fs::path> shards, int64_t classes, const Visit& visit) {
  for (const fs::path& shard : shards) {
    ImageExampleReader reader(shard);
    while (std::optional<ImageExample> image = reader.next()) {
      const std::string place = shard.string() + ": record " + std::to_string(reader.count());
      if (!image->label || *image->label < 0 || *image->label >= classes) {
        throw FileError(place + " has no label from 0 to " + std::to_string(classes - 1));
      }
      visit(*image, place);
    }
  }
}

}  // namespace

JpegSet read_jpeg_set(std::span<const fs::path> shards, int64_t classes, int64_t most) {
  std::vector<size_t> kept;
  if (most > 0) {
    std::vector<uint8_t> labels;
    each_picture(shards, classes, [&](const ImageExample& image, const std::string&) {
      labels.push_back(static_cast<uint8_t>(*image.label));
    });
    kept = first_of_each_class(labels, most);
  }
  JpegSet set;
  size_t at = 0;
  each_picture(shards, classes, [&](ImageExample& image, const std::string& place) {
    const size_t next = set.files.size();
    const bool is_kept = most == 0 || (next < kept.size() && kept[next] == at);
    ++at;
    if (!is_kept) return;
    set.files.push_back(std::move(image.encoded));
    set.labels.push_back(static_cast<uint8_t>(*image.label));
    set.places.push_back(place);
  });
  if (set.count() == 0) throw FileError(shards.front().string() + ": holds no pictures");
  return set;
}

ShardParts split_shards(const fs::path& folder) {
  const fs::path own = folder / kTrainingFolder, other = folder / kValidationFolder;
  if (fs::is_directory(own) && fs::is_directory(other)) {
    return {tfrecord_files(own), tfrecord_files(other)};
  }
  const std::vector<fs::path> files = tfrecord_files(folder);
  if (files.size() < 2) {
    throw FileError(folder.string() + ": one TFRecord file; training and validation need two");
  }
  const size_t training = std::max<size_t>(1, files.size() * 4 / 5);
  const auto border = files.begin() + static_cast<std::ptrdiff_t>(training);
  return {{files.begin(), border}, {border, files.end()}};
}

}  // namespace lapcast::workloads
