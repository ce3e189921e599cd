#include "report/packed_columns.h"

#include <zlib.h>

#include <new>
#include <nlohmann/json.hpp>

#include "run/text_bytes.h"

namespace lapcast {
namespace {

/// Returns a raw deflate stream of the bytes.
std::string deflated(const std::string& bytes) {
  constexpr int kRawWindow = -15;
  constexpr int kMemory = 8;  // zlib's default
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kRawWindow, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);  // the output has space for everything
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

}  // namespace

std::string packed(std::span<const std::int64_t> values) {
  constexpr std::size_t kBytes = 8;
  std::string shuffled(kBytes * values.size(), '\0');
  for (std::size_t byte = 0; byte < kBytes; ++byte)
    for (std::size_t i = 0; i < values.size(); ++i)
      shuffled[byte * values.size() + i] =
          static_cast<char>(static_cast<std::uint64_t>(values[i]) >> (8 * byte));
  return to_base64(deflated(shuffled));
}

nlohmann::ordered_json packed_table(const std::vector<PackedColumn>& columns) {
  nlohmann::ordered_json table{{"count", columns.empty() ? 0 : columns.front().values.size()},
                               {"columns", nlohmann::ordered_json::object()}};
  for (const PackedColumn& column : columns) table["columns"][column.name] = packed(column.values);
  return table;
}

}  // namespace lapcast
