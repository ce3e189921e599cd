#include "data/io_observations.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <span>
#include <string>

#include "common/random.h"
#include "data/classes.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

std::string read_text(ByteReader& reader) {
  constexpr uint64_t kMost = uint64_t{1} << 30;
  const std::vector<uint8_t> bytes = reader.at_most(kMost + 1);
  if (bytes.size() > kMost) reader.fail(kMost, "the file is larger than 1 GiB");
  return {bytes.begin(), bytes.end()};
}

std::string quoted(std::string_view field) {
  constexpr size_t kMost = 40;
  std::string text = "'";
  for (char c : field.substr(0, kMost)) text += c >= ' ' && c < 127 ? c : '?';
  return text + (field.size() > kMost ? "...'" : "'");
}

std::string header() {
  std::string line;
  for (std::string_view column : kIoColumns) line.append(line.empty() ? "" : ",").append(column);
  return line;
}

/// Splits the file into lines and keeps the offset for messages.
class Parser {
 public:
  explicit Parser(const fs::path& file) : reader_(file), text_(read_text(reader_)) {}

  IoObservations observations() {
    const std::string_view first = next_line();
    if (first != header()) {
      reader_.fail(0, "header " + quoted(first) + ", expected " + header());
    }
    IoObservations all;
    while (at_ < text_.size()) add_line(all);
    if (all.count() == 0) reader_.fail(at_, "no observations follow");
    return all;
  }

 private:
  std::string_view next_line() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line(text_.data() + at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void add_line(IoObservations& all) {
    const std::string_view line = next_line();
    if (line.empty() && at_ == text_.size()) return;
    std::array<std::string_view, kIoColumns.size()> fields;
    split(line, fields);
    for (size_t i = 0; i < kIoFeatures; ++i) all.features.push_back(number(fields[i], i));
    all.patterns.push_back(pattern(fields.back()));
  }

  void split(std::string_view line, std::span<std::string_view> fields) const {
    const auto found = static_cast<size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    if (found != fields.size()) {
      fail(line, std::to_string(found) + " fields, expected " + std::to_string(fields.size()));
    }
    for (std::string_view& field : fields) {
      field = line.substr(0, line.find(','));
      line.remove_prefix(std::min(field.size() + 1, line.size()));
    }
  }

  double number(std::string_view field, size_t column) const {
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool whole = error == std::errc() && end == field.data() + field.size();
    if (whole && value >= 0 && value < 0x1p64) return value;
    fail(field, std::string(kIoColumns[column]) + " " + quoted(field) +
                    ", expected a number from 0 to 2^64");
  }

  uint8_t pattern(std::string_view field) const {
    const auto found = std::find(kIoPatternNames.begin(), kIoPatternNames.end(), field);
    if (found != kIoPatternNames.end()) {
      return static_cast<uint8_t>(found - kIoPatternNames.begin());
    }
    fail(field, "pattern " + quoted(field) +
                    ", expected file-per-process, shared-contiguous or shared-strided");
  }

  /// Throws an error at `part`, which must be a piece of text_.
  [[noreturn]] void fail(std::string_view part, const std::string& what) const {
    reader_.fail(static_cast<uint64_t>(part.data() - text_.data()),
                 "line " + std::to_string(line_) + ": " + what);
  }

  ByteReader reader_;
  std::string text_;
  size_t at_ = 0;
  int64_t line_ = 0;
};

/// Appends the shortest text that reads back as the same number.
void append_number(std::string& text, double value) {
  std::array<char, 40> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end);
}

std::string csv_of(const IoObservations& observations) {
  std::string text = header() + "\n";
  for (int64_t i = 0; i < observations.count(); ++i) {
    for (int64_t j = 0; j < kIoFeatures; ++j) {
      append_number(text, observations.features[static_cast<size_t>(i * kIoFeatures + j)]);
      text += ',';
    }
    text.append(kIoPatternNames[observations.patterns[static_cast<size_t>(i)]]).append("\n");
  }
  return text;
}

IoObservations rows_of(const IoObservations& all, std::span<const int64_t> rows) {
  IoObservations some;
  for (int64_t row : rows) {
    const auto first = all.features.begin() + row * kIoFeatures;
    some.features.insert(some.features.end(), first, first + kIoFeatures);
    some.patterns.push_back(all.patterns[static_cast<size_t>(row)]);
  }
  return some;
}

}  // namespace

void IoObservations::keep_first(int64_t n) {
  const std::vector<size_t> kept = first_of_each_class(patterns, n);
  keep_records(features, kept, kIoFeatures);
  keep_records(patterns, kept);
}

std::vector<double> IoObservations::column(int64_t feature) const {
  std::vector<double> values;
  for (size_t i = static_cast<size_t>(feature); i < features.size(); i += kIoFeatures) {
    values.push_back(features[i]);
  }
  return values;
}

IoObservations read_io_observations(const fs::path& file) {
  return Parser(file).observations();
}

void write_io_observations(const fs::path& file, const IoObservations& observations) {
  const std::string text = csv_of(observations);
  write_bytes(file, {std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size())});
}

IoParts read_io_parts(const fs::path& folder) {
  const fs::path training = folder / "training.csv", all = folder / "observations.csv";
  if (!fs::exists(training) && fs::exists(all)) {
    return split_observations(read_io_observations(all));
  }
  return {read_io_observations(training), read_io_observations(folder / "test.csv")};
}

IoParts split_observations(const IoObservations& all) {
  constexpr uint64_t kSplitSeed = 70;
  std::vector<int64_t> rows(static_cast<size_t>(all.count()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  shuffle(rows, Random(kSplitSeed));
  std::vector<uint8_t> patterns;
  for (const int64_t row : rows) patterns.push_back(all.patterns[static_cast<size_t>(row)]);
  const int64_t test = (all.count() * 3 + 9) / 10;
  const std::vector<int64_t> training = cut_records(rows, first_of_each_class(patterns, test));
  return {rows_of(all, training), rows_of(all, rows)};
}

}  // namespace lapcast::workloads
