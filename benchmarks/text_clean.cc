// Measures the cleaning of 50,000 film reviews of about 230 words into rows of 300 numbers, seconds
// on 2 threads. Goal: at most 1.5.
//
// The reviews are those of make-reviews. The figure is the median of cleaning them and of choosing
// the vocabulary. Reading the files, which the page cache holds, is timed beside it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "data/clean_text.h"
#include "data/review_texts.h"
#include "data/word_rows.h"
#include "figure.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

constexpr int64_t kReviews = 50'000;
constexpr int64_t kThreads = 2;

template <typename Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

double words_per_review(const Reviews& reviews) {
  int64_t words = 0;
  for (const std::string& text : reviews.texts) {
    for (WordReader reader(text); !reader.next().empty();) ++words;
  }
  return static_cast<double>(words) / static_cast<double>(reviews.count());
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  std::string name = (fs::temp_directory_path() / "text-clean-XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  write_reviews(folder, ReviewPart::kTraining, kReviews, 1, kThreads);
  write_reviews(folder, ReviewPart::kTest, 2, 1, kThreads);
  std::vector<double> reading, cleaning;
  Reviews reviews;
  for (int round = 0; round < rounds; ++round) {
    reading.push_back(seconds_of(
        [&] { reviews = read_reviews(list_reviews(folder, false).training, kThreads); }));
    cleaning.push_back(seconds_of([&] { numbered(reviews, {}, {}, kThreads); }));
  }
  fs::remove_all(folder);
  std::printf("%lld reviews of %.0f words, %d rounds on %lld threads\n",
              static_cast<long long>(reviews.count()), words_per_review(reviews), rounds,
              static_cast<long long>(kThreads));
  std::printf("reading  %.2f s\ncleaning %.2f s (fastest %.2f)\n", median_of(reading),
              median_of(cleaning), *std::min_element(cleaning.begin(), cleaning.end()));
  lapcast::print_figure("text-clean", median_of(cleaning), "s");
}
