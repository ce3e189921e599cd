#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/random.h"
#include "embryo/frames.h"

namespace lapcast::workloads {

inline constexpr int kFramePixels = kFrameSide * kFrameSide;

/// Draws a synthetic embryo under a microscope with light from above, as in the time-lapse images
/// of [L] (see embryo/frames.h): one to four transparent cells of constant total volume inside a
/// membrane, each edge bright on one side and dark on the other, a polar body, debris, parts of
/// neighbours at the image's edge, uneven light and grain. Everything but the grain belongs to the
/// embryo and changes slowly: the frames of one embryo look alike, those of two embryos do not. The
/// set must be learnable but not trivial (suite/docs/embryo.md).
class EmbryoDrawing {
 public:
  /// Makes embryo number `embryo` of the set that `seed` names.
  EmbryoDrawing(uint64_t seed, int embryo);

  /// Draws frame number `frame` with 1 to 4 cells. It depends only on these arguments and those of
  /// the constructor.
  void draw(int frame, int cells, std::span<uint8_t, kFramePixels> pixels) const;

 private:
  /// Describes a round membrane: a ring that is lit from above around a body a little brighter or
  /// darker.
  struct Disc {
    float x, y;  ///< middle, pixels from the embryo's middle
    float radius;
    float edge;      ///< half width of the ring, pixels
    float relief;    ///< how much brighter its upper and darker its lower edge is, grey levels
    float darkness;  ///< of the ring all around
    float body;      ///< added inside
  };
  using Canvas = std::vector<float>;

  std::vector<Disc> draw_cells(Random& random, int cells) const;
  Disc random_cell(Random& random, float radius, float distance, float angle) const;
  void add_surroundings(Random& random);
  void add_neighbours(Random& random);
  Disc moved(Disc cell, float time) const;
  void ink(Canvas& canvas, const Disc& disc, float x, float y) const;
  void add_light(Canvas& canvas) const;
  void add_texture(Canvas& canvas, float x, float y) const;

  static constexpr int kGrid = 66;

  uint64_t stream_;
  float x_, y_;          // the embryo's middle in the image
  float volume_radius_;  // when it has one cell
  float edge_, relief_, darkness_, body_;
  std::array<float, 2> slope_{};
  float light_, vignette_, grain_, texture_, drift_, phase_;
  std::array<std::vector<Disc>, kCellClasses> cells_;  // of each stage
  std::vector<Disc> surroundings_;
  std::array<float, kGrid * kGrid> bumps_{};
};

/// Holds how many frames of each stage an embryo has.
using StageLengths = std::array<int64_t, kCellClasses>;

/// Holds the size of a set; the defaults are those of [L].
struct EmbryoSetSize {
  int64_t embryos = 100;
  int64_t frames = 34133;     ///< of all embryos
  int64_t three_cells = 766;  ///< frames with three cells, which is a short stage
};

/// Returns how many frames of each stage an embryo has. All embryos have about the same number of
/// frames; the stages other than that of three cells share the rest at random. The sums are exactly
/// the numbers of the set.
StageLengths stage_lengths(const EmbryoSetSize& size, uint64_t seed, int embryo);

/// Draws the set into a folder with its labels on `threads` threads, which do not change a byte.
/// Throws FileError when a file cannot be written.
void make_embryos(const std::filesystem::path& folder, const EmbryoSetSize& size, uint64_t seed,
                  int threads);

/// Says which frames of an embryo a set has.
struct EmbryoFrames {
  int embryo = 0;
  StageLengths lengths{};
};

/// Returns the frames that give at least so many patches in each part, with all stages alike in
/// each part: 4 n frames for 80 n patches, of up to 80 embryos for training and 20 for testing.
std::vector<EmbryoFrames> frames_for(const PatchCounts& patches);

/// Draws such a set, as make_embryos() does; the programs that read it keep exactly so many
/// patches.
void make_embryo_patches(const std::filesystem::path& folder, const PatchCounts& patches,
                         uint64_t seed, int threads);

}  // namespace lapcast::workloads
