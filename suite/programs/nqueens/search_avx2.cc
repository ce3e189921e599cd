// Defines lanes of 16 and of 32 bits with AVX2, BMI2 and POPCNT (Haswell, Zen and newer). The build
// compiles this file for these instructions, so nothing of it may run before runs_here() has
// returned true.
#include <immintrin.h>

#include "nqueens/level_search.h"
#include "nqueens/vector_searches.h"

namespace lapcast::workloads::nqueens {
namespace {

/// Holds, for each set of 8 lanes, the shuffle that puts them side by side. AVX2 has no compress
/// instruction.
template <typename Index, int kPerLane>
struct PackTable {
  Index index[256][8 * kPerLane];

  constexpr PackTable() : index{} {
    for (int mask = 0; mask < 256; ++mask) {
      int to = 0;
      for (int lane = 0; lane < 8; ++lane) {
        if (!(mask >> lane & 1)) continue;
        for (int part = 0; part < kPerLane; ++part) {
          index[mask][to++] = static_cast<Index>(lane * kPerLane + part);
        }
      }
    }
  }
};
alignas(64) constexpr PackTable<uint8_t, 2> kPackWords;    // bytes, for pshufb
alignas(64) constexpr PackTable<uint32_t, 1> kPackDwords;  // lanes, for vpermd

/// Holds what both widths share.
struct Registers {
  using Words = __m256i;
  using Shift = __m128i;

  static Words load(const void* from) {
    return _mm256_load_si256(static_cast<const __m256i*>(from));
  }
  static Shift shift(uint32_t places) { return _mm_cvtsi32_si128(static_cast<int>(places)); }
  static Words without(Words a, Words b) { return _mm256_andnot_si256(b, a); }
  static Words either(Words a, Words b) { return _mm256_or_si256(a, b); }
  static Words free(Words f, Words a, Words b, Words c) {
    return without(f, either(a, either(b, c)));
  }
};

struct WordLanes : Registers {
  using Word = uint16_t;
  using Mask = uint32_t;
  static constexpr int kLanes = 16;

  static Words all(uint32_t word) { return _mm256_set1_epi16(static_cast<short>(word)); }
  static Mask first(int count) { return count >= kLanes ? 0xFFFFu : (1u << count) - 1; }
  static Words lowest(Words a) {
    return _mm256_and_si256(a, _mm256_sub_epi16(_mm256_setzero_si256(), a));
  }
  static Words left(Words a, Shift s) { return _mm256_sll_epi16(a, s); }
  static Words right(Words a, Shift s) { return _mm256_srl_epi16(a, s); }

  static Mask some(Mask mask, Words a) {
    const __m256i zero = _mm256_cmpeq_epi16(a, _mm256_setzero_si256());
    const __m128i bytes =
        _mm_packs_epi16(_mm256_castsi256_si128(zero), _mm256_extracti128_si256(zero, 1));
    return mask & ~static_cast<Mask>(_mm_movemask_epi8(bytes));
  }
  static int count(Mask mask) { return _mm_popcnt_u32(mask); }
  static void pack(Word* to, Mask mask, Words a) {
    pack_half(to, mask & 0xFF, _mm256_castsi256_si128(a));
    pack_half(to + count(mask & 0xFF), mask >> 8, _mm256_extracti128_si256(a, 1));
  }

 private:
  static void pack_half(Word* to, Mask mask, __m128i a) {
    const auto* order = reinterpret_cast<const __m128i*>(kPackWords.index[mask]);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(a, _mm_load_si128(order)));
  }
};

struct DwordLanes : Registers {
  using Word = uint32_t;
  using Mask = uint32_t;
  static constexpr int kLanes = 8;

  static Words all(uint32_t word) { return _mm256_set1_epi32(static_cast<int>(word)); }
  static Mask first(int count) { return count >= kLanes ? 0xFFu : (1u << count) - 1; }
  static Words lowest(Words a) {
    return _mm256_and_si256(a, _mm256_sub_epi32(_mm256_setzero_si256(), a));
  }
  static Words left(Words a, Shift s) { return _mm256_sll_epi32(a, s); }
  static Words right(Words a, Shift s) { return _mm256_srl_epi32(a, s); }

  static Mask some(Mask mask, Words a) {
    const __m256i zero = _mm256_cmpeq_epi32(a, _mm256_setzero_si256());
    return mask & ~static_cast<Mask>(_mm256_movemask_ps(_mm256_castsi256_ps(zero)));
  }
  static int count(Mask mask) { return _mm_popcnt_u32(mask); }
  static void pack(Word* to, Mask mask, Words a) {
    const __m256i order = load(kPackDwords.index[mask]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(a, order));
  }
};

}  // namespace

Tally search_avx2_words(const InnerBoard& board) {
  return LevelSearch<WordLanes>(board).run();
}

Tally search_avx2(const InnerBoard& board) {
  return LevelSearch<DwordLanes>(board).run();
}

}  // namespace lapcast::workloads::nqueens
