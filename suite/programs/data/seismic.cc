#include "data/seismic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "common/share_out.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

constexpr float kCentre = (kSeismicSide - 1) / 2.0f;
constexpr float kPi = std::numbers::pi_v<float>;
using Section = std::array<float, kPatchSamples>;  // row by row; rows are times

/// Returns Ricker's wavelet, which is 1 at its middle (Ricker, "The form and laws of propagation of
/// seismic wavelets", Geophysics 18, 1953). `period` is that of its peak frequency in samples.
float ricker(float t, float period) {
  const float a = kPi * t / period;
  return (1 - 2 * a * a) * std::exp(-a * a);
}

struct Wavelet {
  float period;
  float amplitude;  // negative for the other polarity
};

Wavelet random_wavelet(Random& r, float weakest, float strongest) {
  const float amplitude = r.between(weakest, strongest);
  return {r.between(6, 12), r.chance(0.5f) ? amplitude : -amplitude};
}

/// Adds one event: a wavelet around row(x) of every trace x, multiplied by fade(x).
template <typename Row, typename Fade>
void add_event(Section& section, const Wavelet& wavelet, Row row, Fade fade) {
  for (int x = 0; x < kSeismicSide; ++x) {
    const float middle = row(static_cast<float>(x));
    const float amplitude = wavelet.amplitude * fade(static_cast<float>(x));
    const float first = std::ceil(std::max(0.0f, middle - wavelet.period));
    const float last = std::min<float>(kSeismicSide - 1, middle + wavelet.period);
    for (float y = first; y <= last; ++y) {
      section[static_cast<size_t>(y) * kSeismicSide + static_cast<size_t>(x)] +=
          amplitude * ricker(y - middle, wavelet.period);
    }
  }
}

/// Computes the zero-offset travel times of a point scatterer, in samples:
///   t(x) = sqrt(t0^2 + (slowness (x - x0))^2)
/// t0 is the time of the apex; slowness = 2 dx / (v dt) in samples per trace.
struct Hyperbola {
  float t0;
  float slowness;

  float time(float offset) const { return std::hypot(t0, slowness * offset); }
  /// Returns how far the flank lies below the apex.
  float sag(float offset) const { return time(offset) - t0; }
};

Hyperbola random_hyperbola(Random& r) {
  return {r.between(12, 50), r.between(0.7f, 1.6f)};
}

/// Adds a diffraction with its apex at trace x0, row y0. Its flanks fade as the cosine of the angle
/// of arrival, t0 / t.
void add_diffraction(Section& section, Random& r, float x0, float y0) {
  const Hyperbola h = random_hyperbola(r);
  add_event(
      section, random_wavelet(r, 0.5f, 1.0f), [=](float x) { return y0 + h.sag(x - x0); },
      [=](float x) { return h.t0 / h.time(x - x0); });
}

/// Adds a reflector that is bent upwards with its lowest point at the centre: a diffraction upside
/// down.
void add_syncline(Section& section, Random& r) {
  const Hyperbola h = random_hyperbola(r);
  const float x0 = kCentre + r.between(-1.5f, 1.5f), y0 = kCentre + r.between(-1.5f, 1.5f);
  add_event(
      section, random_wavelet(r, 0.5f, 1.0f), [=](float x) { return y0 - h.sag(x - x0); },
      [=](float x) { return h.t0 / h.time(x - x0); });
}

/// Adds the boundary of a layer: straight or slightly waved, with some dip.
void add_reflector(Section& section, Random& r) {
  const float y0 = r.between(-10, kSeismicSide + 10);
  const float dip = r.between(-0.5f, 0.5f);  // samples per trace
  const float wave = r.between(0, 2.5f), turns = r.between(0.02f, 0.12f), phase = r.between(0, 6);
  add_event(
      section, random_wavelet(r, 0.2f, 0.8f),
      [=](float x) { return y0 + dip * (x - kCentre) + wave * std::sin(turns * x + phase); },
      [](float) { return 1.0f; });
}

void add_centred_diffraction(Section& section, Random& r) {
  add_diffraction(section, r, kCentre + r.between(-1.5f, 1.5f), kCentre + r.between(-1.5f, 1.5f));
}

/// Adds a diffraction whose apex is at least 10 traces or samples from the centre; often one of its
/// flanks runs through the centre.
void add_distant_diffraction(Section& section, Random& r) {
  constexpr float kFar = 10, kReach = 40;
  float dx = 0, dy = 0;
  while (std::abs(dx) < kFar && std::abs(dy) < kFar) {
    dx = r.between(-kReach, kReach);
    dy = r.between(-kReach, kReach);
  }
  add_diffraction(section, r, kCentre + dx, kCentre + dy);
}

/// Adds noise in the band of the recorder: white noise, smoothed along each trace.
void add_noise(Section& section, Random& r) {
  const float strength = r.between(0.05f, 0.45f);
  for (size_t x = 0; x < kSeismicSide; ++x) {
    float before = r.bell(), here = r.bell();
    for (size_t y = 0; y < kSeismicSide; ++y) {
      const float after = r.bell();
      section[y * kSeismicSide + x] += strength * (before + 2 * here + after) / 4;
      before = here;
      here = after;
    }
  }
}

/// Converts amplitudes to bytes; the strongest one lies 127 from kZeroAmplitude.
void store(const Section& section, std::span<uint8_t, kPatchSamples> bytes) {
  float peak = 1e-6f;
  for (float a : section) peak = std::max(peak, std::abs(a));
  for (size_t i = 0; i < section.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(std::lround(kZeroAmplitude + 127 * section[i] / peak));
  }
}

const char* prefix(SeismicPart part) {
  return part == SeismicPart::kTraining ? "train" : "validation";
}

}  // namespace

void draw_patch(bool apex, Random& random, std::span<uint8_t, kPatchSamples> samples) {
  Section section{};
  for (uint32_t left = random.below(4); left > 0; --left) add_reflector(section, random);
  if (apex) {
    add_centred_diffraction(section, random);
    if (random.chance(0.4f)) add_distant_diffraction(section, random);
  } else {
    if (random.chance(0.25f)) add_syncline(section, random);
    if (random.chance(0.75f)) add_distant_diffraction(section, random);
  }
  add_noise(section, random);
  store(section, samples);
}

LabelledImages make_patches(int64_t count, uint64_t seed, SeismicPart part, int64_t threads) {
  LabelledImages set;
  set.images = {count, kSeismicSide, kSeismicSide, {}};
  set.images.pixels.resize(static_cast<size_t>(count) * kPatchSamples);
  set.labels.resize(static_cast<size_t>(count));
  const uint64_t stream = part == SeismicPart::kTraining ? 1 : 2;
  share_out(count, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random random(mix_seeds(seed, stream, static_cast<uint64_t>(i)));
      const bool apex = i % 2 == 0;
      set.labels[static_cast<size_t>(i)] = apex;
      uint8_t* at = set.images.pixels.data() + i * kPatchSamples;
      draw_patch(apex, random, std::span<uint8_t, kPatchSamples>(at, kPatchSamples));
    }
  });
  return set;
}

LabelledImages read_seismic(const fs::path& folder, SeismicPart part) {
  LabelledImages set = read_labelled_images(folder, prefix(part), kPatchClasses);
  if (set.images.rows == kSeismicSide && set.images.columns == kSeismicSide) return set;
  throw FileError(folder.string() + ": images of " + std::to_string(set.images.rows) + "x" +
                  std::to_string(set.images.columns) + ", expected 64x64");
}

void write_seismic(const fs::path& folder, SeismicPart part, const LabelledImages& set, bool gzip) {
  write_labelled_images(folder, prefix(part), set, gzip);
}

}  // namespace lapcast::workloads
