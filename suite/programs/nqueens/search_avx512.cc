// Defines lanes of 32 bits with AVX-512 (Skylake-X and newer). The build compiles this file for
// these instructions, so nothing of it may run before runs_here() has returned true.
#include <immintrin.h>

#include "nqueens/level_search.h"
#include "nqueens/vector_searches.h"

namespace lapcast::workloads::nqueens {
namespace {

struct Lanes {
  using Word = uint32_t;
  using Words = __m512i;
  using Mask = __mmask16;
  using Shift = __m512i;
  static constexpr int kLanes = 16;

  static Words load(const Word* from) { return _mm512_load_si512(from); }
  static Words all(uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }
  static Shift shift(uint32_t places) { return all(places); }
  static Mask first(int count) {
    return static_cast<Mask>(count >= kLanes ? 0xFFFF : (1 << count) - 1);
  }

  static Words lowest(Words a) {
    return _mm512_and_si512(a, _mm512_sub_epi32(_mm512_setzero_si512(), a));
  }
  static Words without(Words a, Words b) { return _mm512_andnot_si512(b, a); }
  static Words either(Words a, Words b) { return _mm512_or_si512(a, b); }
  static Words free(Words f, Words a, Words b, Words c) {
    constexpr int kAnyOfThree = 0xFE;
    return without(f, _mm512_ternarylogic_epi32(a, b, c, kAnyOfThree));
  }
  static Words left(Words a, Shift s) { return _mm512_sllv_epi32(a, s); }
  static Words right(Words a, Shift s) { return _mm512_srlv_epi32(a, s); }

  static Mask some(Mask mask, Words a) { return _mm512_mask_test_epi32_mask(mask, a, a); }
  static int count(Mask mask) { return _mm_popcnt_u32(mask); }
  /// Compresses into a register first: compressing into memory is many times slower on Zen 4.
  static void pack(Word* to, Mask mask, Words a) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, a));
  }
};

}  // namespace

Tally search_avx512(const InnerBoard& board) {
  return LevelSearch<Lanes>(board).run();
}

}  // namespace lapcast::workloads::nqueens
