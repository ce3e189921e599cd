#include "embryo/weighted_sums.h"

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#define LAPCAST_X86 1
#endif

namespace lapcast::workloads {
namespace {

const uint8_t* images_at(const uint8_t* pixels, const WeightedSums::Tap& tap) {
  return pixels + size_t{tap.pixel} * kImagesAtOnce;
}

#ifdef LAPCAST_X86

__attribute__((target("avx512f"))) __m512 product512(const uint8_t* pixels,
                                                     const WeightedSums::Tap& tap) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(images_at(pixels, tap)));
  return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes)), _mm512_set1_ps(tap.weight));
}

__attribute__((target("avx512f"))) void apply_avx512(const WeightedSums& sums,
                                                     const uint8_t* pixels, uint8_t* out) {
  for (size_t i = 0; i + 1 < sums.begin.size(); ++i) {
    __m512 even = _mm512_setzero_ps(), odd = even;
    for (uint32_t t = sums.begin[i]; t < sums.begin[i + 1]; t += 2) {
      even = _mm512_add_ps(even, product512(pixels, sums.taps[t]));
      odd = _mm512_add_ps(odd, product512(pixels, sums.taps[t + 1]));
    }
    const __m512 sum = _mm512_add_ps(_mm512_add_ps(even, odd), _mm512_set1_ps(0.5f));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * kImagesAtOnce),
                     _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(sum)));
  }
}

/// Returns the products of half of the images, starting at `half`.
__attribute__((target("avx2"))) __m256 product256(const uint8_t* pixels, size_t half,
                                                  const WeightedSums::Tap& tap) {
  const __m128i bytes =
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(images_at(pixels, tap) + half));
  return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)), _mm256_set1_ps(tap.weight));
}

__attribute__((target("avx2"))) void apply_avx2(const WeightedSums& sums, const uint8_t* pixels,
                                                uint8_t* out) {
  for (size_t i = 0; i + 1 < sums.begin.size(); ++i) {
    for (size_t half : {size_t{0}, size_t{kImagesAtOnce / 2}}) {
      __m256 even = _mm256_setzero_ps(), odd = even;
      for (uint32_t t = sums.begin[i]; t < sums.begin[i + 1]; t += 2) {
        even = _mm256_add_ps(even, product256(pixels, half, sums.taps[t]));
        odd = _mm256_add_ps(odd, product256(pixels, half, sums.taps[t + 1]));
      }
      const __m256 sum = _mm256_add_ps(_mm256_add_ps(even, odd), _mm256_set1_ps(0.5f));
      alignas(32) std::array<int32_t, kImagesAtOnce / 2> rounded;
      _mm256_store_si256(reinterpret_cast<__m256i*>(rounded.data()), _mm256_cvttps_epi32(sum));
      for (size_t k = 0; k < rounded.size(); ++k) {
        out[i * kImagesAtOnce + half + k] = static_cast<uint8_t>(rounded[k]);
      }
    }
  }
}

#endif

}  // namespace

void WeightedSums::end_sum() {
  if ((taps.size() - begin.back()) % 2 == 1) taps.push_back({taps.back().pixel, 0});
  begin.push_back(static_cast<uint32_t>(taps.size()));
}

void detail::apply_plain(const WeightedSums& sums, const uint8_t* pixels, uint8_t* out) {
  for (size_t i = 0; i + 1 < sums.begin.size(); ++i) {
    std::array<std::array<float, kImagesAtOnce>, 2> parts{};  // even and odd taps
    for (uint32_t t = sums.begin[i]; t < sums.begin[i + 1]; ++t) {
      const uint8_t* images = images_at(pixels, sums.taps[t]);
      for (size_t k = 0; k < kImagesAtOnce; ++k) {
        parts[(t - sums.begin[i]) % 2][k] += static_cast<float>(images[k]) * sums.taps[t].weight;
      }
    }
    for (size_t k = 0; k < kImagesAtOnce; ++k) {
      out[i * kImagesAtOnce + k] = static_cast<uint8_t>(parts[0][k] + parts[1][k] + 0.5f);
    }
  }
}

void apply(const WeightedSums& sums, const uint8_t* pixels, uint8_t* out) {
#ifdef LAPCAST_X86
  if (__builtin_cpu_supports("avx512f")) return apply_avx512(sums, pixels, out);
  if (__builtin_cpu_supports("avx2")) return apply_avx2(sums, pixels, out);
#endif
  detail::apply_plain(sums, pixels, out);
}

}  // namespace lapcast::workloads
