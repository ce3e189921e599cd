// Defines lanes of 16 bits with AVX-512 and VBMI2 (Ice Lake, Zen 4 and newer). The build compiles
// this file for these instructions, so nothing of it may run before runs_here() has returned true.
#include <immintrin.h>

#include "nqueens/level_search.h"
#include "nqueens/vector_searches.h"

namespace lapcast::workloads::nqueens {
namespace {

struct Lanes {
  using Word = uint16_t;
  using Words = __m512i;
  using Mask = __mmask32;
  using Shift = __m512i;
  static constexpr int kLanes = 32;

  static Words load(const Word* from) { return _mm512_load_si512(from); }
  static Words all(uint32_t word) { return _mm512_set1_epi16(static_cast<short>(word)); }
  static Shift shift(uint32_t places) { return all(places); }
  static Mask first(int count) { return count >= kLanes ? ~Mask{0} : (Mask{1} << count) - 1; }

  static Words lowest(Words a) {
    return _mm512_and_si512(a, _mm512_sub_epi16(_mm512_setzero_si512(), a));
  }
  static Words without(Words a, Words b) { return _mm512_andnot_si512(b, a); }
  static Words either(Words a, Words b) { return _mm512_or_si512(a, b); }
  static Words free(Words f, Words a, Words b, Words c) {
    constexpr int kAnyOfThree = 0xFE;
    return without(f, _mm512_ternarylogic_epi32(a, b, c, kAnyOfThree));
  }
  static Words left(Words a, Shift s) { return _mm512_sllv_epi16(a, s); }
  static Words right(Words a, Shift s) { return _mm512_srlv_epi16(a, s); }

  static Mask some(Mask mask, Words a) { return _mm512_mask_test_epi16_mask(mask, a, a); }
  static int count(Mask mask) { return _mm_popcnt_u32(mask); }
  /// Compresses into a register first: compressing into memory is many times slower on Zen 4.
  static void pack(Word* to, Mask mask, Words a) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(mask, a));
  }
};

}  // namespace

Tally search_avx512_words(const InnerBoard& board) {
  return LevelSearch<Lanes>(board).run();
}

}  // namespace lapcast::workloads::nqueens
