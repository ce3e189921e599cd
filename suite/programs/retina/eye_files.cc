#include "retina/eye_files.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <system_error>

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

using Labels = std::map<std::string, int64_t>;

Labels read_labels(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw FileError(file.string() + ": cannot be opened");
  Labels labels;
  std::string line;
  for (int64_t number = 1; std::getline(in, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (number == 1 || line.empty()) continue;
    const std::vector<std::string> fields = csv_fields(line);
    int64_t level = 0;
    const char* end = fields.size() == 2 ? fields[1].data() + fields[1].size() : nullptr;
    if (!end || std::from_chars(fields[1].data(), end, level).ptr != end || fields[1].empty() ||
        level < 0) {
      throw FileError(file.string() + ": line " + std::to_string(number) +
                      ": expected a name and a level, as in 10_left,0");
    }
    labels[fields[0]] = level;
  }
  return labels;
}

fs::path labels_of(const fs::path& folder) {
  std::error_code ignored;
  for (const char* name : {"trainLabels.csv", "train.csv"}) {
    if (fs::exists(folder / name, ignored)) return folder / name;
  }
  return {};
}

bool is_photograph(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return ending == ".jpeg" || ending == ".jpg" || ending == ".png";
}

}  // namespace

std::vector<EyeFile> list_eyes(const fs::path& folder, const fs::path& labels_file) {
  std::error_code error;
  std::vector<EyeFile> eyes;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (is_photograph(at->path())) eyes.push_back({at->path(), {}, false});
  }
  if (error) throw FileError(folder.string() + ": " + error.message());
  if (eyes.empty()) throw FileError(folder.string() + ": there are no .jpeg, .jpg or .png files");
  std::sort(eyes.begin(), eyes.end(),
            [](const EyeFile& a, const EyeFile& b) { return a.file < b.file; });
  const fs::path file = labels_file.empty() ? labels_of(folder) : labels_file;
  if (file.empty()) return eyes;
  const Labels labels = read_labels(file);
  for (EyeFile& eye : eyes) {
    const auto found = labels.find(eye.file.stem().string());
    if (found == labels.end()) {
      eye.unlabelled = true;
    } else {
      eye.label = found->second;
    }
  }
  return eyes;
}

std::string csv_text(const std::string& text) {
  std::string shown = text.find_first_of("=+-@") == 0 ? "'" : "";
  unsigned char before = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // C1 controls are U+0080 to U+009F: 0xC2 and the byte of their number.
    const bool is_control = byte < 0x20 || byte == 0x7F || (before == 0xC2 && byte < 0xA0);
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(byte));
    if (is_control && before == 0xC2) shown.pop_back();
    shown += is_control ? std::string(escape) : std::string(1, c);
    before = byte;
  }
  return shown;
}

std::string csv_field(const std::string& text) {
  const std::string shown = csv_text(text);
  if (shown.find_first_of(",\"") == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char c : shown) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

}  // namespace lapcast::workloads
