#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/repeat_campaign.h"

namespace lapcast {

/// Names a run that a killed command left on its machine.
struct PieceUnderWay {
  std::string machine_type;
  std::string run;  // its id
};

/// Describes work in pieces, which machines take one after the other.
struct PieceWork {
  /// Holds what each machine starts, with kPieceSetting to be set: one request for each run that it
  /// may have at a time.
  std::vector<ProbeRequest> requests;
  std::size_t pieces = 0;
  std::set<std::size_t> done = {};                      // by earlier commands
  std::map<std::size_t, PieceUnderWay> under_way = {};  // by piece
  RepeatValue value;                                    // is known of a run that did its piece
  std::size_t tries = 5;                                // of each piece, at most
};

struct PieceEnds {
  bool interrupted = false;
  std::map<std::size_t, std::string> reasons;   // why pieces are not done
  std::map<std::string, std::string> given_up;  // machine types, with their last failure
};

/// Does all pieces, each on the next machine that is free. A piece whose run failed or was killed
/// waits for its next try, which another machine begins if it can. A machine on which runs fail one
/// after the other gets no more pieces. A run that is under way is followed. Throws Error as
/// Campaign::run() does.
PieceEnds run_pieces(PieceWork work, CampaignTools tools);

}  // namespace lapcast
