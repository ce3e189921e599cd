#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_file.h"

namespace lapcast::workloads {

/// Describes the images of [L] (Lawrence et al., "Comparing TensorFlow deep learning performance
/// using CPUs, GPUs, local PCs and cloud", section II-A) as files: a folder with one 480x480 PNG
/// per frame, named E<embryo>Frame<frame>.png as in figure 1 of [L] (E00Frame52.png), and
/// labels.csv with the header "image,cells" and one line per frame, "E00Frame52,2".
/// suite/docs/embryo.md describes it for users.

inline constexpr int kFrameSide = 480;
inline constexpr int kCellClasses = 4;  ///< 1 to 4 cells: class 0 to 3
inline constexpr int kTestModulo = 5;   ///< the test part has the embryos whose number it divides

/// Names an image: "E00Frame52" is frame 52 of embryo 0. Names are ordered by embryo, then frame.
struct FrameName {
  int embryo = 0;
  int frame = 0;
  auto operator<=>(const FrameName&) const = default;
};

/// Parses a name without its ending; numbers have 1 to 6 digits and may have leading zeros.
std::optional<FrameName> parse_frame_name(std::string_view name);

/// Returns the name as [L] writes it: at least two digits for the embryo, no leading zeros for the
/// frame.
std::string text_of(const FrameName& name);

struct Frame {
  FrameName name;
  int cells = 0;  ///< 1 to kCellClasses
  std::filesystem::path file;
};

/// Returns all labelled frames of a folder, ordered by name. Throws FileError when the folder or
/// labels.csv cannot be read, a line is not a name and 1 to 4 cells, a frame is labelled or stored
/// twice, a label has no file, or a PNG has no label or another kind of name.
std::vector<Frame> list_frames(const std::filesystem::path& folder);

/// Says how many patches of each part a set was made for; 0 = all that its frames give. The frames
/// of a synthetic set give up to 79 more in each part, which are left out.
struct PatchCounts {
  int64_t training = 0;
  int64_t test = 0;
  friend bool operator==(const PatchCounts&, const PatchCounts&) = default;
};

/// Reads and writes patches.csv of a folder of frames: the line "training,test" and one with both
/// numbers. A folder without it has all patches. Throws FileError.
PatchCounts read_patch_counts(const std::filesystem::path& folder);
void write_patch_counts(const std::filesystem::path& folder, const PatchCounts& counts);

struct FrameParts {
  std::vector<Frame> training;
  std::vector<Frame> test;
  PatchCounts patches = {};  ///< to keep of them
};

/// Draws as many frames of each class as the rarest class has ([L]: 766), at most `most` when it is
/// not 0, at random by the seed. Then splits them by embryo, so that no embryo is in both parts.
/// The order within a part is random too. Throws FileError when a class or a part is empty.
FrameParts balance_and_split(const std::vector<Frame>& frames, uint64_t seed, int64_t most = 0);

}  // namespace lapcast::workloads
