#include "data/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace lapcast::workloads {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint32_t kPolynomial = 0x82f63b78;  // bit 31 - i is the coefficient of x^i

/// Returns x times a polynomial of degree below 32, modulo the CRC's polynomial.
constexpr uint32_t times_x(uint32_t polynomial) {
  return (polynomial >> 1) ^ ((polynomial & 1) != 0 ? kPolynomial : 0);
}

/// Holds the tables of "slicing by 8" (Kounavis and Berry, IEEE ISCC 2005): tables[k][b] is the
/// checksum of byte b followed by k zeros.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr CrcTables make_tables() {
  CrcTables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = times_x(crc);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}

constexpr CrcTables kCrcTables = make_tables();

uint64_t word_at(const uint8_t* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

#if defined(__x86_64__)

#define LAPCAST_CRC __attribute__((target("sse4.2,pclmul")))

constexpr std::string_view kHardware = "sse4.2";

bool has_hardware() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

constexpr uint32_t power_of_x(uint64_t exponent) {
  uint32_t power = uint32_t{1} << 31;
  for (uint64_t i = 0; i < exponent; ++i) power = times_x(power);
  return power;
}

/// Multiplies a checksum with x^exponent, apart from the factor x^33 that the crc32 instruction
/// and the product of two mirrored polynomials add.
LAPCAST_CRC uint64_t multiplied(uint64_t crc, uint32_t power) {
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(crc)),
                                               _mm_cvtsi32_si128(static_cast<int>(power)), 0);
  return static_cast<uint64_t>(_mm_cvtsi128_si64(product));
}

/// Takes blocks of 3 x kPart bytes from the front of `bytes`. The crc32 instruction has a latency
/// of three cycles, so three parts are summed at the same time. A carry-less product moves the
/// first two sums behind the last part (Gopal et al., "Fast CRC computation for iSCSI polynomial
/// using CRC32 instruction", Intel, 2011).
template <size_t kPart>
LAPCAST_CRC uint64_t three_at_once(uint64_t crc, std::span<const uint8_t>& bytes) {
  constexpr uint32_t kOver1 = power_of_x(8 * kPart - 33), kOver2 = power_of_x(16 * kPart - 33);
  for (; bytes.size() >= 3 * kPart; bytes = bytes.subspan(3 * kPart)) {
    const uint8_t* at = bytes.data();
    uint64_t first = crc, second = 0, third = 0;
    for (const uint8_t* end = at + kPart - 8; at < end; at += 8) {
      first = _mm_crc32_u64(first, word_at(at));
      second = _mm_crc32_u64(second, word_at(at + kPart));
      third = _mm_crc32_u64(third, word_at(at + 2 * kPart));
    }
    first = _mm_crc32_u64(first, word_at(at));
    second = _mm_crc32_u64(second, word_at(at + kPart));
    crc = _mm_crc32_u64(
        third, word_at(at + 2 * kPart) ^ multiplied(first, kOver2) ^ multiplied(second, kOver1));
  }
  return crc;
}

LAPCAST_CRC uint32_t by_hardware(std::span<const uint8_t> bytes, uint32_t before) {
  uint64_t crc = ~before;
  crc = three_at_once<2048>(crc, bytes);
  crc = three_at_once<128>(crc, bytes);
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    crc = _mm_crc32_u64(crc, word_at(bytes.data()));
  }
  auto rest = static_cast<uint32_t>(crc);
  for (const uint8_t byte : bytes) rest = _mm_crc32_u8(rest, byte);
  return ~rest;
}

#elif defined(__aarch64__) && defined(__linux__)

#define LAPCAST_CRC __attribute__((target("+crc")))

constexpr std::string_view kHardware = "armv8";

bool has_hardware() {
  constexpr unsigned long kCrc32 = 1ul << 7;  // HWCAP_CRC32
  return (getauxval(AT_HWCAP) & kCrc32) != 0;
}

LAPCAST_CRC uint32_t by_hardware(std::span<const uint8_t> bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) crc = __crc32cd(crc, word_at(bytes.data()));
  for (const uint8_t byte : bytes) crc = __crc32cb(crc, byte);
  return ~crc;
}

#else

constexpr std::string_view kHardware = "table";

bool has_hardware() {
  return false;
}

uint32_t by_hardware(std::span<const uint8_t> bytes, uint32_t before) {
  return crc32c_by_table(bytes, before);
}

#endif

}  // namespace

uint32_t crc32c_by_table(std::span<const uint8_t> bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const uint64_t word = word_at(bytes.data()) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kCrcTables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (const uint8_t byte : bytes) crc = (crc >> 8) ^ kCrcTables[0][(crc ^ byte) & 0xff];
  return ~crc;
}

uint32_t crc32c(std::span<const uint8_t> bytes, uint32_t before) {
  static const bool hardware = has_hardware();
  return hardware ? by_hardware(bytes, before) : crc32c_by_table(bytes, before);
}

std::string_view crc32c_method() {
  return has_hardware() ? kHardware : "table";
}

}  // namespace lapcast::workloads
