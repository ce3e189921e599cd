#include "data/image_example.h"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const uint8_t>;

/// Reports a place within a record where it is not a tf.train.Example.
struct BadMessage {
  uint64_t position = 0;
  std::string what;
};

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// The numbers of the fields, from tensorflow/core/example/example.proto and feature.proto.
constexpr uint64_t kFeaturesOfExample = 1, kEntryOfFeatures = 1, kKeyOfEntry = 1, kValueOfEntry = 2;
constexpr uint64_t kBytesListOfFeature = 1, kInt64ListOfFeature = 3, kValueOfList = 1;

/// Walks through the fields of one message of a protocol buffer; positions count from the start of
/// the record.
class Message {
 public:
  explicit Message(Bytes record) : record_(record), end_(record.size()) {}

  /// Goes to the next field. Returns false at the end of the message.
  bool next() {
    if (at_ == end_) return false;
    field_at_ = at_;
    const uint64_t tag = varint();
    field_ = tag >> 3;
    type_ = static_cast<WireType>(tag & 7);
    if (field_ == 0) refuse("a field has number 0");
    begin_ = at_;
    skip();
    return true;
  }

  bool is(uint64_t field, WireType type) const { return field_ == field && type_ == type; }
  uint64_t position() const { return field_at_; }

  /// Returns the message within a field of bytes.
  Message inner() const {
    Message message(record_);
    message.at_ = begin_;
    message.end_ = at_;
    return message;
  }
  /// Returns the content of a field of bytes.
  Bytes bytes() const { return record_.subspan(begin_, at_ - begin_); }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(record_.data()) + begin_, at_ - begin_};
  }

  /// Returns the first int64 of an Int64List, packed or not, if it has one.
  std::optional<int64_t> first_number() {
    while (next()) {
      if (field_ != kValueOfList) continue;
      if (type_ == WireType::kVarint) return static_cast<int64_t>(value_);
      if (type_ == WireType::kBytes && at_ > begin_) {
        return static_cast<int64_t>(inner().varint());
      }
    }
    return std::nullopt;
  }

 private:
  [[noreturn]] void refuse(const char* what) const { throw BadMessage{field_at_, what}; }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ < end_; shift += 7) {
      const uint8_t byte = record_[at_++];
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    refuse("a number does not end");
  }

  void skip() {
    uint64_t size = 0;
    switch (type_) {
      case WireType::kVarint:
        value_ = varint();
        return;
      case WireType::kFixed64:
        size = 8;
        break;
      case WireType::kFixed32:
        size = 4;
        break;
      case WireType::kBytes:
        size = varint();
        begin_ = at_;
        break;
      default:
        refuse("a field has an unknown type");
    }
    if (size > end_ - at_) refuse("a field is longer than its message");
    at_ += size;
  }

  Bytes record_;
  uint64_t at_ = 0;
  uint64_t end_ = 0;
  uint64_t field_at_ = 0;  // of the present field's tag
  uint64_t begin_ = 0;     // of its content
  uint64_t field_ = 0;
  uint64_t value_ = 0;
  WireType type_ = WireType::kVarint;
};

/// Holds one entry of the map of features: a name and a Feature.
struct NamedFeature {
  std::string_view name;
  std::optional<Message> value;
  uint64_t position = 0;
};

NamedFeature named_feature(Message entry, uint64_t position) {
  NamedFeature feature;
  feature.position = position;
  while (entry.next()) {
    if (entry.is(kKeyOfEntry, WireType::kBytes)) feature.name = entry.text();
    if (entry.is(kValueOfEntry, WireType::kBytes)) feature.value = entry.inner();
  }
  return feature;
}

[[noreturn]] void refuse_feature(const NamedFeature& feature, const char* wanted) {
  throw BadMessage{feature.position, std::string(feature.name) + " is not a " + wanted};
}

Bytes bytes_of(const NamedFeature& feature) {
  for (Message value = *feature.value; value.next();) {
    if (!value.is(kBytesListOfFeature, WireType::kBytes)) continue;
    for (Message list = value.inner(); list.next();) {
      if (list.is(kValueOfList, WireType::kBytes)) return list.bytes();
    }
  }
  refuse_feature(feature, "list of bytes");
}

std::string text_of(const NamedFeature& feature) {
  const Bytes bytes = bytes_of(feature);
  return {bytes.begin(), bytes.end()};
}

int64_t number_of(const NamedFeature& feature) {
  for (Message value = *feature.value; value.next();) {
    if (!value.is(kInt64ListOfFeature, WireType::kBytes)) continue;
    if (const auto number = value.inner().first_number()) return *number;
  }
  refuse_feature(feature, "list of int64");
}

void take(const NamedFeature& feature, ImageExample& image) {
  const std::string_view name = feature.name;
  if (!feature.value) return;
  if (name == "image/encoded") {
    const Bytes bytes = bytes_of(feature);
    image.encoded.assign(bytes.begin(), bytes.end());
  } else if (name == "image/format") {
    image.format = text_of(feature);
  } else if (name == "image/filename") {
    image.filename = text_of(feature);
  } else if (name == "image/height") {
    image.height = number_of(feature);
  } else if (name == "image/width") {
    image.width = number_of(feature);
  } else if (name == "image/class/label" || name == "image/label" || name == "label") {
    image.label = number_of(feature);
  }
}

ImageExample read_example(Bytes record) {
  ImageExample image;
  for (Message example(record); example.next();) {
    if (!example.is(kFeaturesOfExample, WireType::kBytes)) continue;
    for (Message features = example.inner(); features.next();) {
      if (!features.is(kEntryOfFeatures, WireType::kBytes)) continue;
      take(named_feature(features.inner(), features.position()), image);
    }
  }
  if (image.encoded.empty()) throw BadMessage{0, "a record without image/encoded"};
  return image;
}

void append_varint(std::vector<uint8_t>& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<uint8_t>(value | 0x80));
  to.push_back(static_cast<uint8_t>(value));
}

void append_field(std::vector<uint8_t>& to, uint64_t field, Bytes content) {
  append_varint(to, field << 3 | static_cast<uint64_t>(WireType::kBytes));
  append_varint(to, content.size());
  to.insert(to.end(), content.begin(), content.end());
}

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// Appends an entry to Features: the name, and a Feature with a list of one value.
void append_feature(std::vector<uint8_t>& features, std::string_view name, uint64_t kind,
                    Bytes value) {
  std::vector<uint8_t> list, feature, entry;
  append_field(list, kValueOfList, value);
  append_field(feature, kind, list);
  append_field(entry, kKeyOfEntry, as_bytes(name));
  append_field(entry, kValueOfEntry, feature);
  append_field(features, kEntryOfFeatures, entry);
}

void append_number(std::vector<uint8_t>& features, std::string_view name, int64_t number) {
  std::vector<uint8_t> packed;
  append_varint(packed, static_cast<uint64_t>(number));
  append_feature(features, name, kInt64ListOfFeature, packed);
}

}  // namespace

std::vector<uint8_t> example_bytes(const ImageExample& image) {
  std::vector<uint8_t> features, example;
  if (image.label) append_number(features, "image/class/label", *image.label);
  append_feature(features, "image/encoded", kBytesListOfFeature, image.encoded);
  append_feature(features, "image/filename", kBytesListOfFeature, as_bytes(image.filename));
  append_feature(features, "image/format", kBytesListOfFeature, as_bytes(image.format));
  append_number(features, "image/height", image.height);
  append_number(features, "image/width", image.width);
  append_field(example, kFeaturesOfExample, features);
  return example;
}

std::optional<ImageExample> ImageExampleReader::next() {
  const std::optional<Bytes> record = records_.next();
  if (!record) return std::nullopt;
  try {
    return read_example(*record);
  } catch (const BadMessage& bad) {
    records_.fail(bad.position, bad.what);
  }
}

std::vector<fs::path> tfrecord_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename().native().starts_with('.')) {
      at.disable_recursion_pending();
      continue;
    }
    const fs::path extension = at->path().extension();
    if (extension == ".tfrecord" || extension == ".tfrec" || extension == ".tfrecords") {
      files.push_back(at->path());
    }
  }
  if (error) throw FileError(folder.string() + ": " + error.message());
  if (files.empty()) throw FileError(folder.string() + ": there are no TFRecord files");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace lapcast::workloads
