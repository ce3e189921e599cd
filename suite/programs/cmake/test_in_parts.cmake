# lapcast_test_in_parts(PREFIX PROGRAM PARTS LABEL TIMEOUT [NAME=VALUE...]): tests PREFIX_0, PREFIX_1 ... that
# each run a part of a GoogleTest program with these variables. A process for each of its tests would take
# longer than the tests.
function(lapcast_test_in_parts prefix program parts label timeout)
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    set(variables GTEST_TOTAL_SHARDS=${parts} GTEST_SHARD_INDEX=${part} ${ARGN})
    add_test(NAME ${prefix}_${part} COMMAND ${program} --gtest_brief=1)
    set_tests_properties(${prefix}_${part} PROPERTIES LABELS ${label} TIMEOUT ${timeout}
      ENVIRONMENT "${variables}")
  endforeach()
endfunction()
