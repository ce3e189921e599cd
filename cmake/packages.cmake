# Names the packages of Debian that lapcast is built from: WHAT:PACKAGE, where WHAT is what
# needed.cmake finds when the package is installed. It is included before project(): without a
# compiler nothing can be looked for, and all packages are named.
set(LAPCAST_LIBRARIES ZLIB_FOUND:zlib1g-dev SQLite3_FOUND:libsqlite3-dev EIGEN_FOLDER:libeigen3-dev
    CSV_LIBRARY:libcsv-dev SQLITECPP_LIBRARY:libsqlitecpp-dev RE2_LIBRARY:libre2-dev)
set(LAPCAST_HEADERS fmt/format.h:libfmt-dev tl/expected.hpp:libexpected-dev CLI/CLI.hpp:libcli11-dev
    toml++/toml.h:libtomlplusplus-dev nlohmann/json.hpp:nlohmann-json3-dev
    boost/beast.hpp:libboost-dev)

# Ends the configuration when a package is missing. The indented line is one line in the terminal:
# CMake breaks the others.
function(lapcast_demand_packages)
  if(ARGN)
    list(JOIN ARGN " " missing)
    message(FATAL_ERROR "lapcast is built from packages that are not here:\n"
                        "  apt-get install ${missing}")
  endif()
endfunction()

find_program(compiler NAMES $ENV{CXX} c++ g++ clang++ NO_CACHE)
if(NOT compiler AND NOT CMAKE_CXX_COMPILER)
  set(packages ${LAPCAST_LIBRARIES} ${LAPCAST_HEADERS})
  list(TRANSFORM packages REPLACE ".*:" "")
  lapcast_demand_packages(g++ ${packages})
endif()
