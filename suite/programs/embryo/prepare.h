#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/idx.h"
#include "embryo/frames.h"
#include "embryo/rotations.h"

namespace lapcast::workloads {

/// Applies the pre-processing of [L] (see embryo/frames.h), section II-B: the middle 320x320 of
/// each frame, histogram equalisation, |pixel - 128|, 20 rotations in steps of 18 degrees, each
/// reduced to 64x64.

/// Holds the patches of both parts, with labels 0 to 3 for 1 to 4 cells. Patch r * N + i of a part
/// of N frames is its frame i rotated by 18 r degrees, so the first N patches are the frames
/// without rotation.
struct EmbryoParts {
  LabelledImages training;
  LabelledImages test;
};

/// Returns all rotations of all frames, computed on `threads` threads, which do not change the
/// result. Throws FileError for the first frame, in their order, that cannot be read.
LabelledImages prepare_frames(const std::vector<Frame>& frames, int threads);

/// Does this for both parts, and keeps as many patches of each as parts.patches says, by class.
EmbryoParts prepare_parts(const FrameParts& parts, int threads);

/// Writes prepared parts as four IDX files under MNIST's names: images of 64x64, labels 0 to 3.
void write_prepared(const std::filesystem::path& folder, const EmbryoParts& parts);

/// Returns whether a folder holds prepared parts rather than frames.
bool holds_prepared(const std::filesystem::path& folder);

/// Reads prepared parts. Throws FileError as read_labelled_images() does, and for images of another
/// size.
EmbryoParts read_prepared(const std::filesystem::path& folder);

}  // namespace lapcast::workloads
