#include "data/word_rows.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/share_out.h"
#include "data/clean_text.h"

namespace lapcast::workloads {
namespace {

/// Returns the number of a word, which is added when it is new.
uint32_t number_of(std::string_view word, WordNumbers& numbers) {
  const auto found = numbers.find(word);
  if (found != numbers.end()) return found->second;
  const auto number = static_cast<uint32_t>(numbers.size());
  numbers.emplace(word, number);
  return number;
}

CleanReviews clean_share(const Reviews& reviews, int64_t begin, int64_t end) {
  CleanReviews clean;
  clean.first = begin;
  for (const std::string_view word : stop_words()) number_of(word, clean.numbers);
  const auto first_kept = static_cast<uint32_t>(clean.numbers.size());
  for (int64_t i = begin; i < end; ++i) {
    WordReader reader(reviews.texts[static_cast<size_t>(i)]);
    for (std::string_view word = reader.next(); !word.empty(); word = reader.next()) {
      const uint32_t number = number_of(word, clean.numbers);
      if (number >= first_kept) clean.words.push_back(number);
    }
    clean.ends.push_back(clean.words.size());
  }
  return clean;
}

struct WordCount {
  std::string_view word;
  uint64_t count = 0;
};

/// Returns how often each word occurs in all reviews.
std::vector<WordCount> count_words(const std::vector<CleanReviews>& reviews) {
  std::unordered_map<std::string_view, uint64_t> sums;
  for (const CleanReviews& share : reviews) {
    std::vector<uint64_t> counts(share.numbers.size());
    for (const uint32_t number : share.words) ++counts[number];
    for (const auto& [word, number] : share.numbers) {
      if (counts[number] > 0) sums[word] += counts[number];
    }
  }
  std::vector<WordCount> all;
  for (const auto& [word, count] : sums) all.push_back({word, count});
  return all;
}

/// Writes the rows of one share. Words without a number in the vocabulary are left out.
void write_rows(const CleanReviews& share, const WordNumbers& vocabulary, WordRows& rows) {
  std::vector<int32_t> numbers(share.numbers.size());  // 0: not in the vocabulary
  for (const auto& [word, own] : share.numbers) {
    const auto found = vocabulary.find(word);
    if (found != vocabulary.end()) numbers[own] = static_cast<int32_t>(found->second);
  }
  size_t begin = 0;
  int32_t* row = rows.numbers.data() + share.first * kReviewWords;
  for (const size_t end : share.ends) {
    int64_t left = kReviewWords;
    for (size_t i = end; i > begin && left > 0; --i) {
      const int32_t number = numbers[share.words[i - 1]];
      if (number > 0) row[--left] = number;
    }
    begin = end;
    row += kReviewWords;
  }
}

}  // namespace

std::vector<CleanReviews> clean(const Reviews& reviews, int64_t threads) {
  const int64_t share = std::max<int64_t>(1, (reviews.count() + threads - 1) / threads);
  const int64_t shares = (reviews.count() + share - 1) / share;
  std::vector<CleanReviews> all(static_cast<size_t>(shares));
  share_out(shares, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      all[static_cast<size_t>(i)] =
          clean_share(reviews, i * share, std::min((i + 1) * share, reviews.count()));
    }
  });
  return all;
}

WordNumbers most_frequent_words(const std::vector<CleanReviews>& reviews, int64_t most) {
  std::vector<WordCount> counts = count_words(reviews);
  const size_t kept = std::min(counts.size(), static_cast<size_t>(most));
  const auto more_frequent = [](const WordCount& a, const WordCount& b) {
    return a.count != b.count ? a.count > b.count : a.word < b.word;
  };
  std::partial_sort(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(kept),
                    counts.end(), more_frequent);
  WordNumbers vocabulary;
  for (size_t i = 0; i < kept; ++i) {
    vocabulary.emplace(counts[i].word, static_cast<uint32_t>(i + 1));
  }
  return vocabulary;
}

WordRows rows_of(const std::vector<CleanReviews>& reviews, const WordNumbers& vocabulary,
                 std::vector<uint8_t> labels) {
  WordRows rows{{}, std::move(labels)};
  rows.numbers.resize(rows.labels.size() * kReviewWords);
  const auto shares = static_cast<int64_t>(reviews.size());
  share_out(shares, std::max<int64_t>(1, shares), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      write_rows(reviews[static_cast<size_t>(i)], vocabulary, rows);
    }
  });
  return rows;
}

WordParts numbered(const Reviews& training, const Reviews& validation, const Reviews& test,
                   int64_t threads) {
  const std::vector<CleanReviews> cleaned = clean(training, threads);
  const WordNumbers vocabulary = most_frequent_words(cleaned);
  return {rows_of(cleaned, vocabulary, training.labels),
          rows_of(clean(validation, threads), vocabulary, validation.labels),
          rows_of(clean(test, threads), vocabulary, test.labels)};
}

}  // namespace lapcast::workloads
