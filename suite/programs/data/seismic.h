#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "common/random.h"
#include "data/idx.h"

namespace lapcast::workloads {

/// Describes patches of a stacked seismic section: 64 traces (columns) of 64 time samples (rows),
/// each labelled 1 when a diffraction has its apex at the patch's centre, else 0.
///
/// The files are IDX as in MNIST (data/idx.h): train-images-idx3-ubyte, train-labels-idx1-ubyte,
/// validation-images-idx3-ubyte, validation-labels-idx1-ubyte, each plain or with .gz. A byte is an
/// amplitude: 128 is 0, and the strongest sample of each patch is 1 or 255.

inline constexpr int kSeismicSide = 64;
inline constexpr int kPatchSamples = kSeismicSide * kSeismicSide;
inline constexpr int kPatchClasses = 2;
inline constexpr uint8_t kZeroAmplitude = 128;

enum class SeismicPart { kTraining, kValidation };

/// Reads one part of a folder. Throws FileError, also when the numbers of images and labels differ,
/// or when the images are not patches of 64x64.
LabelledImages read_seismic(const std::filesystem::path& folder, SeismicPart part);

/// Writes one part under its usual names, packed as .gz when asked.
void write_seismic(const std::filesystem::path& folder, SeismicPart part, const LabelledImages& set,
                   bool gzip);

/// Draws one synthetic patch: reflectors, noise and often diffractions whose apex is not at the
/// centre. With `apex` it has one diffraction at the centre (within 1.5 samples and traces);
/// without, often something similar: a flank, or a syncline. Both polarities are equally frequent,
/// so no single sample tells anything and a linear classifier must fail.
void draw_patch(bool apex, Random& random, std::span<uint8_t, kPatchSamples> samples);

/// Draws `count` patches, of which every second one has an apex, on `threads` threads. Patch i
/// depends on the seed, the part and i alone.
LabelledImages make_patches(int64_t count, uint64_t seed, SeismicPart part, int64_t threads);

}  // namespace lapcast::workloads
