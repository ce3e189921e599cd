#include "suite/driver/prepared_set.h"

#include "core/units.h"
#include "run/json_object.h"
#include "run/json_reader.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostReportBytes = std::size_t{1} << 28;
constexpr int kMostReportDepth = 4;  // the object has 3

/// Reads the members of a report of prepared images.
class PreparedReader : public JsonReader<PreparedReader> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::read;

  static JsonProblem read(const Node& node, PrepareStage& stage) {
    const auto fields = [](auto& reader, PrepareStage& value) {
      reader.required("stage", value.stage);
      reader.required("seconds", value.time);
    };
    return read_object(node, fields, stage);
  }
  static JsonProblem read(const Node& node, PictureSize& size) {
    const auto fields = [](auto& reader, PictureSize& value) {
      reader.required("width", value.width);
      reader.required("height", value.height);
      reader.required("images", value.images);
    };
    return read_object(node, fields, size);
  }
  static JsonProblem read(const Node& node, FileSizes& files) {
    const auto fields = [](auto& reader, FileSizes& value) {
      reader.required("kib", value.kib);
      reader.required("before", value.before);
      reader.required("after", value.after);
    };
    return read_object(node, fields, files);
  }
  static JsonProblem read(const Node& node, SkippedImage& image) {
    const auto fields = [](auto& reader, SkippedImage& value) {
      reader.required("image", value.image);
      reader.required("reason", value.reason);
    };
    return read_object(node, fields, image);
  }
  static JsonProblem read(const Node& node, PreparedSet& set) {
    const auto fields = [](auto& reader, PreparedSet& value) {
      reader.required("images", value.images);
      reader.required("earlier", value.earlier);
      reader.required("prepared", value.prepared);
      reader.required("shards", value.shards);
      reader.required("done", value.done);
      reader.required("bytes_in", value.bytes_in);
      reader.required("bytes_out", value.bytes_out);
      reader.required("seconds", value.time);
      reader.required("stages", value.stages);
      reader.required("sizes", value.sizes);
      reader.required("files", value.files);
      reader.required("skipped", value.skipped);
    };
    return read_object(node, fields, set);
  }
};

}  // namespace

Result<PreparedSet> parse_prepared_set(std::string_view text) {
  if (text.size() > kMostReportBytes) return because("more than 256 MiB");
  return read_json_object<PreparedReader, PreparedSet>(text, kMostReportDepth);
}

}  // namespace lapcast
