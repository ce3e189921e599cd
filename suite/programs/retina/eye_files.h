#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/byte_file.h"

namespace lapcast::workloads {

/// Names a photograph of a set.
struct EyeFile {
  std::filesystem::path file;
  std::optional<int64_t> label;  ///< absent when the set has no labels
  bool unlabelled = false;       ///< the set has labels, but none for this file
};

/// Returns the JPEG and PNG files of a folder in the order of their names, with the labels of a CSV
/// file of lines "name,level" after a header, as Kaggle's trainLabels.csv and train.csv; names are
/// without their endings. Without `labels` the folder's trainLabels.csv or train.csv is read, if
/// there is one. Throws FileError when the folder cannot be read or has no photographs, or when a
/// line of the labels is of another form.
std::vector<EyeFile> list_eyes(const std::filesystem::path& folder,
                               const std::filesystem::path& labels);

/// Returns a text as it is in a CSV file: control characters as "\x1b", and an apostrophe in front
/// of what a spreadsheet would take for a formula (OWASP, "CSV injection").
std::string csv_text(const std::string& text);

/// Returns csv_text() as a field of a CSV file, within quotes where it needs them.
std::string csv_field(const std::string& text);

/// Returns the fields of one line of a CSV file.
std::vector<std::string> csv_fields(const std::string& line);

}  // namespace lapcast::workloads
