#pragma once

#include <string>
#include <vector>

#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// The runs that one argument names: parts between commas, each an id (of a run, a set or a sweep;
/// its first digits are enough, "last" is the newest run) or KEY=VALUE, where KEY is program,
/// machine, kind or a setting. Ids add runs; without an id all runs of the store are meant; of
/// these the KEY=VALUEs keep those that fit, several values of one key meaning any of them:
/// "3f0c8a91d2e4", "3f0c,91d2", "program=mnist-mlp,batch=128", "3f0c8a91d2e4,machine=1c-avx2".
/// No run at all is an empty result. Throws Error (usage) for an id that is unknown or not unique,
/// and for a key that no run has.
std::vector<Run> runs_named(const Store& store, const std::string& text);

}  // namespace lapcast
