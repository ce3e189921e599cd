#include "data/jpeg_set.h"

#include <algorithm>
#include <utility>

#include "data/image_example.h"

namespace lapcast::workloads {

JpegSet read_jpeg_set(std::span<const std::filesystem::path> shards, int64_t classes,
                      int64_t most) {
  JpegSet set;
  for (const std::filesystem::path& shard : shards) {
    ImageExampleReader reader(shard);
    while (most == 0 || set.count() < most) {
      std::optional<ImageExample> image = reader.next();
      if (!image) break;
      const std::string place = shard.string() + ": record " + std::to_string(reader.count());
      if (!image->label || *image->label < 0 || *image->label >= classes) {
        throw FileError(place + " has no label from 0 to " + std::to_string(classes - 1));
      }
      set.files.push_back(std::move(image->encoded));
      set.labels.push_back(static_cast<uint8_t>(*image->label));
      set.places.push_back(place);
    }
  }
  if (set.count() == 0) throw FileError(shards.front().string() + ": holds no pictures");
  return set;
}

ShardParts split_shards(const std::filesystem::path& folder) {
  const std::vector<std::filesystem::path> files = tfrecord_files(folder);
  if (files.size() < 2) {
    throw FileError(folder.string() + ": one TFRecord file; training and validation need two");
  }
  const size_t training = std::max<size_t>(1, files.size() * 4 / 5);
  const auto border = files.begin() + static_cast<std::ptrdiff_t>(training);
  return {{files.begin(), border}, {border, files.end()}};
}

}  // namespace lapcast::workloads
