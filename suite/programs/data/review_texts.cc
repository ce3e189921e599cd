#include "data/review_texts.h"

#include <cmath>
#include <span>
#include <string_view>

#include "common/parallel.h"
#include "data/byte_file.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Words = std::span<const std::string_view>;

constexpr std::string_view kGood[] = {
    "superb",    "brilliant",  "wonderful",  "moving",     "gripping",  "witty",
    "charming",  "excellent",  "delightful", "clever",     "stunning",  "touching",
    "beautiful", "convincing", "memorable",  "powerful",   "fresh",     "funny",
    "honest",    "masterful",  "inspired",   "satisfying", "thrilling", "warm",
    "elegant",   "subtle",     "rich",       "graceful",   "riveting",  "flawless"};
constexpr std::string_view kBad[] = {
    "dull",      "terrible",  "awful",    "clumsy",      "boring",      "wooden",
    "tedious",   "pointless", "lazy",     "predictable", "forgettable", "silly",
    "annoying",  "shallow",   "stale",    "painful",     "ridiculous",  "messy",
    "tiresome",  "lifeless",  "dreadful", "bland",       "hollow",      "pretentious",
    "confusing", "ugly",      "cheap",    "worthless",   "unbearable",  "weak"};
constexpr std::string_view kNegations[] = {"never", "hardly", "anything but", "far from", "rarely"};
constexpr std::string_view kAspects[] = {
    "plot",    "acting",   "script",  "music",  "ending",  "dialogue", "direction", "cast",
    "editing", "pacing",   "picture", "humour", "story",   "camera",   "romance",   "suspense",
    "sound",   "costumes", "opening", "lead",   "villain", "score",    "finale",    "mood"};
constexpr std::string_view kOthers[] = {"The critics called the",        "My friends expected the",
                                        "The trailer promised that the", "The posters praised the",
                                        "Some magazine called the",      "My brother imagined the"};
constexpr std::string_view kAuthor[] = {"I found the",      "To me the",     "After two hours the",
                                        "For my money the", "Honestly, the", "I think the"};
constexpr std::string_view kVerbs[] = {
    "follows", "leaves", "meets",   "remembers", "hides",  "fights", "marries", "finds",
    "loses",   "chases", "betrays", "saves",     "visits", "hires",  "watches", "buries"};
constexpr std::string_view kPlaces[] = {
    "harbour", "village", "castle",  "station", "desert", "hospital", "city",   "forest",
    "island",  "school",  "factory", "hotel",   "prison", "market",   "palace", "street"};
constexpr std::string_view kLinks[] = {" while ", ", and then ", " because ",
                                       " until ", ", although ", " before "};
constexpr std::string_view kSyllables[] = {"ba",  "cor", "del", "fi",  "gra", "hel", "jo",  "ka",
                                           "lin", "mor", "na",  "or",  "pe",  "qui", "ran", "sol",
                                           "ta",  "ul",  "ve",  "wen", "xa",  "yor", "zi",  "bre",
                                           "dun", "el",  "fos", "gil", "ham", "is",  "kel", "lo"};

std::string_view pick(Words words, Random& random) {
  return words[random.below(static_cast<uint32_t>(words.size()))];
}

/// Returns a name. The n-th of them is about n times as rare as the first, as words of a language
/// are (Zipf).
std::string made_name(Random& random) {
  constexpr double kNames = 40000;
  constexpr uint64_t kNameStream = 77;
  const auto rank = static_cast<uint64_t>(std::exp(random.unit() * std::log(kNames)));
  Random letters(mix_seeds(kNameStream, rank));
  std::string name;
  for (uint32_t left = 2 + letters.below(3); left > 0; --left) name += pick(kSyllables, letters);
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

/// Appends an opinion on a part of the film, and in one of five cases the negation of its opposite.
void add_opinion(Words beginnings, bool good, Random& random, std::string& text) {
  const bool negated = random.chance(0.2f);
  text.append(pick(beginnings, random)).append(" ").append(pick(kAspects, random));
  text.append(random.chance(0.5f) ? " was " : " seemed ");
  if (negated) text.append(pick(kNegations, random)).append(" ");
  text.append(pick(good != negated ? Words(kGood) : Words(kBad), random)).append(". ");
}

void add_event(Random& random, std::string& text) {
  text.append(made_name(random)).append(" ").append(pick(kVerbs, random)).append(" ");
  text.append(made_name(random)).append(" at the ").append(pick(kPlaces, random));
}

void add_story(Random& random, std::string& text) {
  // The number of sentences is about log-normal: most stories are short and some are very long.
  const float sentences = 10 * std::exp(0.6f * random.bell());
  for (float i = 0; i < sentences; ++i) {
    add_event(random, text);
    if (random.chance(0.6f)) {
      text.append(pick(kLinks, random));
      add_event(random, text);
    }
    text.append(random.chance(0.1f) ? "!<br /><br />" : ". ");
  }
}

}  // namespace

std::string make_review(bool positive, Random& random) {
  constexpr float kAgreeing = 0.85f;
  std::string text;
  for (uint32_t left = 2 + random.below(6); left > 0; --left) {
    add_opinion(kOthers, random.chance(0.5f), random, text);
  }
  add_story(random, text);
  for (uint32_t left = 5 + random.below(5); left > 0; --left) {
    add_opinion(kAuthor, positive == random.chance(kAgreeing), random, text);
  }
  return text;
}

void write_reviews(const fs::path& folder, ReviewPart part, int64_t count, uint64_t seed,
                   int64_t threads) {
  const bool training = part == ReviewPart::kTraining;
  const fs::path part_folder = folder / (training ? "train" : "test");
  for (const char* name : {"pos", "neg"}) {
    fs::create_directories(part_folder / name);
    if (!fs::is_empty(part_folder / name)) {
      throw FileError((part_folder / name).string() + ": has files already; name another folder");
    }
  }
  for_each_in_parallel(static_cast<size_t>(count), static_cast<int>(threads), [&] {
    return [&](size_t i) {
      Random random(mix_seeds(seed, training ? 1 : 2, i));
      const bool positive = i % 2 == 0;
      const uint32_t rating = (positive ? 7 : 1) + random.below(4);
      const std::string text = make_review(positive, random);
      const std::string name = std::to_string(i / 2) + "_" + std::to_string(rating) + ".txt";
      write_bytes(part_folder / (positive ? "pos" : "neg") / name,
                  {std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size())});
    };
  });
}

}  // namespace lapcast::workloads
