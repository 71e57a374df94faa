# CuzkCommit.cmake, run by every build: OUT, a C file that tells the commit of SOURCE. Where git knows nothing, as in a copy
# of the tree, CUZK_COMMIT of the environment is taken, else "". Written only when it changes, so that nothing is linked anew
# for nothing.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit ERROR_QUIET
  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  set(commit "$ENV{CUZK_COMMIT}")
else()
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD -- src apps RESULT_VARIABLE changed ERROR_QUIET)
  if(changed)
    string(APPEND commit ", changed")
  endif()
endif()
string(REGEX REPLACE "[^0-9A-Za-z., -]" "" commit "${commit}")
set(text "/* Written by cmake/CuzkCommit.cmake. */\n#include \"commit.h\"\n\nconst char *bench_commit(void)\n{\n    return \"${commit}\";\n}\n")
set(now "")
if(EXISTS ${OUT})
  file(READ ${OUT} now)
endif()
if(NOT now STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
