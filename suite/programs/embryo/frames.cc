#include "embryo/frames.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "common/random.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "image,cells";
constexpr size_t kMostDigits = 6;
constexpr const char* kPatchesFile = "patches.csv";

/// Removes a number of 1 to 6 digits from the front and returns it.
std::optional<int> take_number(std::string_view& text) {
  const size_t end = text.find_first_not_of("0123456789");
  const size_t digits = std::min(end, text.size());
  if (digits == 0 || digits > kMostDigits) return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::string read_text(const fs::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) {
    throw FileError(file.string() + ": " + (errno ? std::strerror(errno) : "cannot be read"));
  }
  return text;
}

/// Returns a quotation from a damaged file, short and printable.
std::string quoted(std::string_view text) {
  std::string clean(text.substr(0, 40));
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + clean + "'";
}

struct Label {
  int cells = 0;
  size_t offset = 0;  ///< of its line in labels.csv
};
using Labels = std::map<FrameName, Label>;

/// Reads labels.csv line by line.
class LabelReader {
 public:
  explicit LabelReader(fs::path file) : file_(std::move(file)), text_(read_text(file_)) {}

  Labels read() {
    if (next_line() != kHeader) fail("expected the line " + std::string(kHeader));
    Labels labels;
    while (at_ < text_.size()) {
      const std::string_view line = next_line();
      const auto [name, cells] = parse(line);
      if (!labels.emplace(name, Label{cells, begin_}).second) {
        fail(text_of(name) + " is labelled twice");
      }
    }
    return labels;
  }

 private:
  std::string_view next_line() {
    begin_ = at_;
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    at_ = end + 1;
    std::string_view line = std::string_view(text_).substr(begin_, end - begin_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  std::pair<FrameName, int> parse(std::string_view line) const {
    const size_t comma = std::min(line.find(','), line.size());
    const auto name = parse_frame_name(line.substr(0, comma));
    std::string_view rest = line.substr(comma);
    std::optional<int> cells;
    if (name && take(rest, ",")) cells = take_number(rest);
    if (!cells || !rest.empty()) fail(quoted(line) + " is not a line like E00Frame52,2");
    if (*cells < 1 || *cells > kCellClasses) {
      fail(std::to_string(*cells) + " cells, expected 1 to " + std::to_string(kCellClasses));
    }
    return {*name, *cells};
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(file_.string() + ": byte " + std::to_string(begin_) + ": " + what);
  }

  fs::path file_;
  std::string text_;
  size_t at_ = 0;
  size_t begin_ = 0;
};

std::map<FrameName, fs::path> list_images(const fs::path& folder) {
  std::error_code error;
  std::map<FrameName, fs::path> images;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& file = entry->path();
    if (file.extension() != ".png") continue;
    const auto name = parse_frame_name(file.stem().string());
    if (!name) throw FileError(file.string() + ": not named like E00Frame52.png");
    if (!entry->is_regular_file()) throw FileError(file.string() + ": is not a file");
    const auto [same, fresh] = images.emplace(*name, file);
    if (!fresh) {
      const auto [first, second] = std::minmax({file, same->second});
      throw FileError(second.string() + ": the same frame as " + first.filename().string());
    }
  }
  if (error) throw FileError(folder.string() + ": " + error.message());
  return images;
}

using Classes = std::array<std::vector<Frame>, kCellClasses>;

size_t size_of_rarest(const Classes& classes) {
  size_t rarest = SIZE_MAX;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].empty()) {
      throw FileError("no image of " + std::to_string(i + 1) +
                      " cells: the classes cannot be balanced");
    }
    rarest = std::min(rarest, classes[i].size());
  }
  return rarest;
}

}  // namespace

std::optional<FrameName> parse_frame_name(std::string_view name) {
  if (!take(name, "E")) return std::nullopt;
  const auto embryo = take_number(name);
  if (!embryo || !take(name, "Frame")) return std::nullopt;
  const auto frame = take_number(name);
  if (!frame || !name.empty()) return std::nullopt;
  return FrameName{*embryo, *frame};
}

std::string text_of(const FrameName& name) {
  return (name.embryo < 10 ? "E0" : "E") + std::to_string(name.embryo) + "Frame" +
         std::to_string(name.frame);
}

PatchCounts read_patch_counts(const fs::path& folder) {
  const fs::path file = folder / kPatchesFile;
  if (!fs::exists(file)) return {};
  const std::string text = read_text(file);
  long long training = 0, test = 0;
  int end = 0;
  const int found =
      std::sscanf(text.c_str(), "training,test\n%12lld,%12lld%n", &training, &test, &end);
  if (found != 2 || training < 1 || test < 1 ||
      text.find_first_not_of("\r\n", static_cast<size_t>(end)) != std::string::npos) {
    throw FileError(file.string() + ": byte 0: expected the lines training,test and N,N");
  }
  return {training, test};
}

void write_patch_counts(const fs::path& folder, const PatchCounts& counts) {
  const std::string text = "training,test\n" + std::to_string(counts.training) + "," +
                           std::to_string(counts.test) + "\n";
  write_bytes(folder / kPatchesFile,
              {{reinterpret_cast<const uint8_t*>(text.data()), text.size()}});
}

std::vector<Frame> list_frames(const fs::path& folder) {
  const fs::path label_file = folder / "labels.csv";
  const Labels labels = LabelReader(label_file).read();
  std::map<FrameName, fs::path> images = list_images(folder);
  std::vector<Frame> frames;
  for (const auto& [name, label] : labels) {
    const auto image = images.find(name);
    if (image == images.end()) {
      throw FileError(label_file.string() + ": byte " + std::to_string(label.offset) +
                      ": there is no file " + text_of(name) + ".png");
    }
    frames.push_back({name, label.cells, image->second});
    images.erase(image);
  }
  if (!images.empty()) {
    throw FileError(images.begin()->second.string() + ": not labelled in labels.csv");
  }
  return frames;
}

FrameParts balance_and_split(const std::vector<Frame>& frames, uint64_t seed, int64_t most) {
  Classes classes;
  for (const Frame& frame : frames) classes[static_cast<size_t>(frame.cells - 1)].push_back(frame);
  size_t size = size_of_rarest(classes);
  if (most > 0) size = std::min(size, static_cast<size_t>(most));
  std::vector<Frame> chosen;
  for (size_t i = 0; i < classes.size(); ++i) {
    shuffle(classes[i], Random(mix_seeds(seed, i)));
    chosen.insert(chosen.end(), classes[i].begin(),
                  classes[i].begin() + static_cast<int64_t>(size));
  }
  shuffle(chosen, Random(mix_seeds(seed, classes.size())));
  FrameParts parts;
  for (Frame& frame : chosen) {
    (frame.name.embryo % kTestModulo == 0 ? parts.test : parts.training)
        .push_back(std::move(frame));
  }
  if (parts.training.empty() || parts.test.empty()) {
    throw FileError(std::string("the ") + (parts.test.empty() ? "test" : "training") +
                    " part is empty: it needs embryos whose number is " +
                    (parts.test.empty() ? "" : "not ") + "divisible by 5");
  }
  return parts;
}

}  // namespace lapcast::workloads
