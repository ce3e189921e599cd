#include "posix/gzip_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr unsigned kPieceBytes = 256 * 1024;

Error cannot_read(const std::string& file, const char* why) {
  return Error(ExitCode::bad_input, fmt::format("cannot read {}: {}", printable(file), why));
}

struct Close {
  void operator()(gzFile file) const { gzclose_r(file); }
};
using GzipStream = std::unique_ptr<gzFile_s, Close>;

GzipStream open_stream(const std::string& file) {
  const int fd = file == "-" ? dup(STDIN_FILENO) : open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw cannot_read(file, "there is no such file, or it may not be read");
  struct stat status {};
  const bool folder = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
  GzipStream stream(folder ? nullptr : gzdopen(fd, "rb"));
  if (!stream) {
    close(fd);
    throw cannot_read(file, folder ? "it is a folder" : "no memory");
  }
  gzbuffer(stream.get(), kPieceBytes);
  return stream;
}

}  // namespace

bool for_each_piece(const std::string& file, const std::function<void(std::string_view)>& take) {
  const GzipStream stream = open_stream(file);
  std::vector<char> piece(kPieceBytes);
  int bytes = 0;
  while ((bytes = gzread(stream.get(), piece.data(), kPieceBytes)) > 0) {
    take({piece.data(), static_cast<std::size_t>(bytes)});
  }
  int error = Z_OK;
  gzerror(stream.get(), &error);
  if (error == Z_ERRNO) throw cannot_read(file, "reading it failed");
  return error == Z_OK || error == Z_STREAM_END;
}

std::string read_head(const std::string& file, std::size_t most_bytes) {
  const GzipStream stream = open_stream(file);
  std::string head(most_bytes, '\0');
  std::size_t read = 0;
  int bytes = 0;
  while (read < most_bytes && (bytes = gzread(stream.get(), head.data() + read,
                                              static_cast<unsigned>(most_bytes - read))) > 0)
    read += static_cast<std::size_t>(bytes);
  head.resize(read);
  return head;
}

WholeFile read_whole(const std::string& file, std::size_t most_bytes) {
  WholeFile whole;
  whole.complete = for_each_piece(file, [&](std::string_view piece) {
    if (whole.text.size() + piece.size() > most_bytes) {
      throw cannot_read(file, fmt::format("it is longer than {}",
                                          format_bytes(static_cast<std::int64_t>(most_bytes)))
                                  .c_str());
    }
    whole.text += piece;
  });
  return whole;
}

std::string decompressed(std::string text, const std::string& file, std::size_t most_bytes) {
  if (!text.starts_with("\x1f\x8b")) return text;
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw cannot_read(file, "no memory");
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  std::string result;
  int state = Z_OK;
  while (state == Z_OK && result.size() <= most_bytes) {
    const std::size_t before = result.size();
    result.resize(before + kPieceBytes);
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + before);
    stream.avail_out = kPieceBytes;
    state = inflate(&stream, Z_NO_FLUSH);
    result.resize(before + kPieceBytes - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result.size() > most_bytes) throw cannot_read(file, "its text is too long");
  if (state != Z_STREAM_END) throw cannot_read(file, "its compressed data are damaged");
  return result;
}

}  // namespace lapcast
