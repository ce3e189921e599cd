#include "forecast/effect.h"

#include <algorithm>

namespace lapcast {
namespace {

constexpr EffectFacts kEffectFacts[] = {
    {EffectKind::start_up, "start-up", PartKind::init, ""},
    {EffectKind::warm_up, "warm-up", PartKind::warm_up, "counted once; not part of a steady lap"},
    {EffectKind::slow_epochs, "slow first epochs", PartKind::warm_up,
     "counted once; later epochs are taken to be like the last ones seen"},
    {EffectKind::stalls, "stalls", PartKind::laps, "left out of the mean, kept in its interval"},
    {EffectKind::drift, "drift", PartKind::laps,
     "the interval reaches to the level at the end; it may not end there"},
    {EffectKind::level_change, "work per lap changed", PartKind::laps,
     "holds only while the laps stay as they are now"},
    {EffectKind::phases, "phases", PartKind::laps,
     "holds only while this phase lasts: the rest is taken to be like it"},
    {EffectKind::validation, "validation", PartKind::validation, ""},
    {EffectKind::first_validation, "first validation", PartKind::validation, "counted once"},
    {EffectKind::overlapped_validation, "overlapped validation", PartKind::validation, ""},
    {EffectKind::epoch_overhead, "epoch overhead", PartKind::epoch_overhead,
     "counted for every epoch but the last"},
    {EffectKind::checkpoints, "checkpoints", PartKind::checkpoints, ""}};

}  // namespace

const EffectFacts& facts_of(EffectKind kind) {
  return *std::ranges::find(kEffectFacts, kind, &EffectFacts::kind);
}

}  // namespace lapcast
