#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/jpeg.h"
#include "retina/circle.h"
#include "retina/crop.h"

namespace lapcast::workloads {

/// Names the stages of preparing a photograph, in their order.
inline constexpr std::array<std::string_view, 6> kPrepareStages = {"read",   "decode", "find eye",
                                                                   "resize", "encode", "write"};
using StageSeconds = std::array<double, kPrepareStages.size()>;

/// Holds what became of one photograph.
struct PreparedEye {
  std::string reason;  ///< why it was skipped; empty when it was prepared
  int64_t width = 0;   ///< of the photograph; 0 when it is not known
  int64_t height = 0;
  EyeCircle eye;              ///< in pixels of the photograph
  std::vector<uint8_t> jpeg;  ///< the prepared picture
  uint64_t bytes = 0;         ///< of the photograph's file
  StageSeconds seconds{};     ///< without writing
};

/// Prepares photographs of the retina as Künas 2023 does, section 4.2: finds centre and radius of
/// the eye's field, cuts the square around it and resizes it. Each thread needs its own object.
class EyePreparer {
 public:
  /// Takes the side of the prepared pictures in pixels and the quality of their JPEG files.
  EyePreparer(int64_t side, int quality) : side_(side), cropper_(side), writer_(quality) {}

  /// Prepares a JPEG or PNG file. A JPEG file is reduced within the decoder, but not so far that
  /// the field gets smaller than the prepared picture. What is wrong with the file is the reason of
  /// the result.
  PreparedEye prepare(const std::filesystem::path& file);

 private:
  void load(const std::filesystem::path& file);
  void prepare_loaded(PreparedEye& result);
  EyeCircle decode_and_find(PreparedEye& result);

  int64_t side_;
  EyeCropper cropper_;
  JpegReader reader_;
  JpegWriter writer_;
  std::vector<uint8_t> file_;
  Picture photo_;
};

}  // namespace lapcast::workloads
