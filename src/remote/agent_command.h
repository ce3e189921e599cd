#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/place.h"
#include "remote/host.h"

namespace lapcast {

/// lapcast's own folder on a machine: absolute, or relative to the home folder there.
std::string folder_on(const PlaceSetup& site);

/// The file name of this lapcast on other machines: "lapcast-0.1.0-HASH", other for every build.
const std::string& tool_name();
/// What `uname -sm` has to say of a machine on which this binary runs.
std::string tool_architecture();

/// A command that runs `script` by sh in lapcast's own folder on a machine ($1 and so on =
/// arguments); the folder is made, private, when it is lacking.
std::vector<std::string> in_folder_there(const PlaceSetup& site, const std::string& script,
                                         const std::vector<std::string>& arguments);

/// What `lapcast probe --make-ready` prints there: whether anything was sent into the folder before.
inline constexpr std::string_view kFirstSending = "first\n";
inline constexpr std::string_view kSentBefore = "again\n";

/// A command that runs lapcast in that folder: FOLDER/bin/NAME, or, on another architecture, a
/// lapcast of the same version at FOLDER/bin/lapcast or on the PATH. Where there is none it prints
/// a line "N tool SYSTEM ARCHITECTURE" and nothing else.
std::vector<std::string> lapcast_there(const PlaceSetup& site, const std::vector<std::string>& arguments);

}  // namespace lapcast
