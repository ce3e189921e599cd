#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lapcast {

/// Returns a hint for words that the chosen command does not know, in their order: "did you mean
/// 'sweep'?", or where a program belongs. Returns an empty text if no word is similar.
std::string suggestion(const CLI::App& chosen, const std::vector<std::string>& unknown);

}  // namespace lapcast
