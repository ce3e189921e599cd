#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Takes what is written, piece after piece.
using TakeText = std::function<void(std::string_view)>;

/// Passes UTF-8 text to `take` as a JSON string with quotes and escapes, in pieces, because the log
/// of a day can have 100 MB.
void write_json_text(std::string_view text, const TakeText& take);

/// Holds a JSON object without the long texts of one of its lists.
struct ShortenedJson {
  std::string text;                // has an empty text in the place of each
  std::vector<std::string> taken;  // by their place in the list; empty = it was not taken
};

/// Takes the long texts out of the list `key` of an object, because a JSON library would hold each
/// of them three times. Returns nothing if there are none, if the list has anything but texts, or
/// if the object is not JSON: then it has to be read as a whole.
std::optional<ShortenedJson> without_long_texts(std::string_view json, std::string_view key);

}  // namespace lapcast
