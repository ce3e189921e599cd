#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/random.h"

namespace lapcast::workloads {

/// Writes synthetic film reviews. A review has three parts:
///
///   expectations  2 to 7 opinions of others, good and bad at random
///   the story     sentences without opinion, with names that are rarer the later they were made
///   the verdict   5 to 9 opinions of the author, of which 85 % agree with the label
///
/// A fifth of all opinions is said with a negation and the opposite adjective ("never dull"). So a
/// classifier must know where a word stands and what stands before it; counts of words tell only a
/// part (suite/docs/workloads.md).

/// Returns the text of one review. About 230 words are usual; the lengths differ widely.
std::string make_review(bool positive, Random& random);

enum class ReviewPart { kTraining, kTest };

/// Writes `count` reviews on `threads` threads into train/ or test/ of the folder, in the layout of
/// reviews.h: half of them positive, with names such as pos/12_9.txt, as in the IMDb set (number
/// and rating). Review i depends on the seed, the part and i alone. Throws FileError when a file
/// cannot be written, or when a folder of these has files already.
void write_reviews(const std::filesystem::path& folder, ReviewPart part, int64_t count,
                   uint64_t seed, int64_t threads);

}  // namespace lapcast::workloads
