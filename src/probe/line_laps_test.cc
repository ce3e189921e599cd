#include "probe/line_laps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

constexpr std::int64_t kSecondOfLines = 1'000'000'000;

class LineLapsTest : public FolderTest {
 protected:
  /// Returns the number of laps that are found in lines of which one is printed every half second.
  std::size_t laps_in(const std::vector<std::string>& lines) {
    const auto folder = folder_ / std::to_string(programs_++);
    std::filesystem::create_directory(folder);
    LineLaps laps(std::nullopt, folder);
    laps.begin(0, "box");
    MonotonicNs now = 0;
    for (const std::string& line : lines) {
      now += kSecondOfLines / 2;
      laps.take(Stream::output, line + "\n", now);
      if (laps.wants_look(now)) laps.look(now, LapLog{}, false);
    }
    laps.finish(now + kSecondOfLines, true, LapLog{}, false);
    const std::string log = text_of(folder / "laps.output.log");
    std::size_t count = 0;
    for (std::size_t at = log.find(" i "); at != log.npos; at = log.find(" i ", at + 1)) ++count;
    return count;
  }

 private:
  int programs_ = 0;
};

/// Returns forty lines of a form with {n} from 1 on, {m} of a shorter count, and {x}.
std::vector<std::string> forty(const char* form) {
  std::vector<std::string> lines;
  for (int n = 1; n <= 40; ++n)
    lines.push_back(fmt::format(fmt::runtime(form), fmt::arg("n", n), fmt::arg("m", n % 7 + 1),
                                fmt::arg("x", 0.5 + 0.37 * (n * 7 % 11))));
  return lines;
}

// Lines of compilers, downloads, installers, servers, tests, backups and simulations.
TEST_F(LineLapsTest, FindNoneInProgramsThatTrainNothing) {
  const char* const kForms[] = {
      "[{n}/345] Building CXX object src/file{n}.cc.o",
      "[ {n}%] Building C object lib/part.c.o",
      "make[{m}]: Entering directory '/src/{n}'",
      "gcc -O2 -c file{n}.c -o file{n}.o",
      "file.c:{n}:{m}: warning: unused variable",
      "Compiling serde v1.0.{n}",
      "   Compiling crate {n}/120: rand",
      "[{n}/40] Linking target {m}",
      "CC      drivers/net/{n}.o",
      "Step {n}/40 : RUN apt-get install",
      "#{n} [stage-1 {m}/9] COPY . /app",
      "#{n} {x:.1f} fetching layer",
      "Downloading model.bin: {n}% ({x:.1f} MB/s)",
      "Downloaded {n} of 40 files, {x:.1f} MB/s",
      "{n}/40 files downloaded",
      "Get:{n} http://deb.example.org/debian stable/main amd64 pkg 1.{m} [{n} kB]",
      "Unpacking libfoo{n} (1.{m}-2) ...",
      "Collecting package-{n}",
      "Installing package {n}/40",
      "npm http fetch GET 200 https://example.org/p{n} {n}ms",
      "remote: Counting objects: {n}% ({n}/40)",
      "Receiving objects:  {n}% ({n}/4000), {x:.2f} MiB | {m}.00 MiB/s",
      "rsync: {n} files to consider, {x:.2f} kB/s",
      "   {n},123  {n}%  {x:.2f}MB/s    0:00:{n:02}",
      "copied {n} of 40 files ({x:.1f} s)",
      "127.0.0.1 - - [28/Nov/2026:10:00:{n:02}] \"GET /{n} HTTP/1.1\" 200 {n}",
      "INFO:     127.0.0.1:{n} - \"POST /predict HTTP/1.1\" 200 OK",
      "request {n} served in {x:.3f} s",
      "worker {m}: handled job {n} in {x:.2f} s",
      "connection {n} from 10.0.0.{m}",
      "[{n}] heartbeat ok, latency {x:.2f} ms",
      "query {n}: {m} rows in {x:.3f} s",
      "2026-11-28 10:00:{n:02} LOG: checkpoint complete: wrote {n} buffers ({x:.1f}%)",
      "vacuum: table {n}/40",
      "test {n}/40 passed ({x:.2f} s)",
      "ok {n} - works",
      "tests/test_a.py::test_{n} PASSED [ {n}%]",
      "Test #{n}: unit .... Passed {x:.2f} sec",
      "ran {n} tests in {x:.3f} s",
      "frame= {n} fps= {m} q=28.0 size= {n}kB time=00:00:{n:02}.00 bitrate= {x:.1f}kbits/s",
      "Encoding: task 1 of 1, {x:.2f} %",
      "Rendered frame {n} of 40 in {x:.2f} s",
      "t = {n}, residual {x:.4e}",
      "timestep {n}: dt {x:.3f}, cfl {x:.2f}",
      "backup: {n} of 40 archives, {x:.1f} GB",
      "sector {n}00/4000 verified",
      "scanned {n} of 40 hosts",
      "indexing {n}/40 documents",
      "Tokenizing {n}/40 shards of the train split, {x:.1f} MB/s",
      "queue length {m}, processed {n}",
      "temperature {x:.1f} C, fan {n}00 rpm",
      "page {n} of 40",
  };
  static_assert(std::size(kForms) >= 50);
  for (const char* form : kForms) EXPECT_EQ(laps_in(forty(form)), 0u) << form;
}

TEST_F(LineLapsTest, FindThoseOfATraining) {
  EXPECT_EQ(laps_in(forty("step {n}/40 loss {x:.3f}")), 40u);
  EXPECT_EQ(laps_in(forty("INFO train ({n} of 40), cost {x:.5f}")), 40u);
  EXPECT_EQ(laps_in(forty(" iteration {n:8}/{n:8}0 | lm loss: {x:.5e}")), 0u);  // its total grows
}

}  // namespace
}  // namespace lapcast
