#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/idx.h"
#include "embryo/frames.h"
#include "embryo/rotations.h"

namespace lapcast::workloads {

/// The pre-processing of [L], section II-B: the middle 320x320 of each frame, histogram
/// equalisation, |pixel - 128|, 20 rotations in steps of 18 degrees, each reduced to 64x64.

/// Patches of both parts, labels 0 to 3 for 1 to 4 cells. Patch r * N + i of a part of N frames is
/// its frame i turned by 18 r degrees: so the first N patches are all frames as they are.
struct EmbryoParts {
  LabelledImages training;
  LabelledImages test;
};

/// All rotations of all frames, on `threads` threads, which do not change the result. Throws
/// FileError for the first of the frames, in their order, that cannot be read.
LabelledImages prepare_frames(const std::vector<Frame>& frames, int threads);

EmbryoParts prepare_parts(const FrameParts& parts, int threads);

/// Prepared parts as four IDX files under MNIST's names: images of 64x64, labels 0 to 3.
void write_prepared(const std::filesystem::path& folder, const EmbryoParts& parts);

/// Whether a folder holds prepared parts rather than frames.
bool holds_prepared(const std::filesystem::path& folder);

/// Throws FileError as the readers of the two kinds of files, and for images of another size or
/// other numbers of images and labels.
EmbryoParts read_prepared(const std::filesystem::path& folder);

}  // namespace lapcast::workloads
