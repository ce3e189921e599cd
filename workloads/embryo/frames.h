#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_file.h"

namespace lapcast::workloads {

/// The images of [L] (Lawrence et al., "Comparing TensorFlow deep learning performance using CPUs,
/// GPUs, local PCs and cloud", section II-A) as files: a folder with one 480x480 PNG a frame, named
/// E<embryo>Frame<frame>.png as in [L]'s figure 1 (E00Frame52.png), and labels.csv with the header
/// "image,cells" and one line a frame, "E00Frame52,2". docs/embryo.md describes it for users.

inline constexpr int kFrameSide = 480;
inline constexpr int kCellClasses = 4;  ///< 1 to 4 cells: class 0 to 3
inline constexpr int kTestModulo = 5;   ///< embryos whose number it divides are the test part

/// Which image: "E00Frame52" is frame 52 of embryo 0. Ordered by embryo, then frame.
struct FrameName {
  int embryo = 0;
  int frame = 0;
  auto operator<=>(const FrameName&) const = default;
};

/// Reads a name without its ending; numbers of 1 to 6 digits, leading zeros allowed.
std::optional<FrameName> parse_frame_name(std::string_view name);

/// As [L] writes it: at least two digits for the embryo, the frame as it is.
std::string text_of(const FrameName& name);

struct Frame {
  FrameName name;
  int cells = 0;  ///< 1 to kCellClasses
  std::filesystem::path file;
};

/// All labelled frames of a folder, ordered by name. Throws FileError: a folder or labels.csv that
/// cannot be read, a line that is not a name and 1 to 4 cells, a frame labelled twice or stored
/// twice, a label without a file, a PNG without a label or with another name.
std::vector<Frame> list_frames(const std::filesystem::path& folder);

struct FrameParts {
  std::vector<Frame> training;
  std::vector<Frame> test;
};

/// As many frames of each class as the rarest one has ([L]: 766), at most `most` when it is not 0,
/// drawn at random by the seed; then split by embryo, so that no embryo is in both parts. The order
/// within a part is random too. Throws FileError when a class or a part is empty.
FrameParts balance_and_split(const std::vector<Frame>& frames, uint64_t seed, int64_t most = 0);

}  // namespace lapcast::workloads
