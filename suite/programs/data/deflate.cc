#include "data/deflate.h"

#include <stdexcept>

#ifdef LAPCAST_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

namespace lapcast::workloads {
namespace {

/// Is the customary balance of time and size; noise packs no better at higher levels.
constexpr int kLevel = 4;

}  // namespace

#ifdef LAPCAST_LIBDEFLATE

Inflater::Inflater()
    : state_(libdeflate_alloc_decompressor(), [](void* state) {
        libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(state));
      }) {
  if (!state_) throw std::bad_alloc();
}

bool Inflater::unpack(std::span<const uint8_t> packed, std::span<uint8_t> into) {
  // Without a pointer for the number of bytes, a shorter result is an error too.
  return libdeflate_zlib_decompress(static_cast<libdeflate_decompressor*>(state_.get()),
                                    packed.data(), packed.size(), into.data(), into.size(),
                                    nullptr) == LIBDEFLATE_SUCCESS;
}

std::vector<uint8_t> deflate_bytes(std::span<const uint8_t> bytes) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> state(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  if (!state) throw std::bad_alloc();
  std::vector<uint8_t> packed(libdeflate_zlib_compress_bound(state.get(), bytes.size()));
  packed.resize(libdeflate_zlib_compress(state.get(), bytes.data(), bytes.size(), packed.data(),
                                         packed.size()));
  return packed;
}

uint32_t crc32_of(std::span<const uint8_t> bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

#else

Inflater::Inflater() = default;

bool Inflater::unpack(std::span<const uint8_t> packed, std::span<uint8_t> into) {
  uLongf size = into.size();
  return uncompress(into.data(), &size, packed.data(), packed.size()) == Z_OK &&
         size == into.size();
}

std::vector<uint8_t> deflate_bytes(std::span<const uint8_t> bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<uint8_t> packed(size);
  if (compress2(packed.data(), &size, bytes.data(), bytes.size(), kLevel) != Z_OK) {
    throw std::bad_alloc();
  }
  packed.resize(size);
  return packed;
}

uint32_t crc32_of(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

#endif

}  // namespace lapcast::workloads
