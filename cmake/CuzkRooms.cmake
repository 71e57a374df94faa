# CuzkRooms.cmake: one static library a folder of src/, one test program a tests/unit/<room>/test_*.c.

# cuzk_room(<room> USES <targets>...): library cz_<room> from src/<room>/*.{c,cpp}.
# A file named *_adx.c, *_ifma.c or *_ni.c is compiled for that instruction set; only run-time dispatch may reach it.
function(cuzk_room room)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${room}/*.c" "${CMAKE_SOURCE_DIR}/src/${room}/*.cpp")
  if(NOT sources)
    add_library(cz_${room} INTERFACE)
    target_link_libraries(cz_${room} INTERFACE cuzk_flags ${ARG_USES})
    return()
  endif()
  add_library(cz_${room} STATIC ${sources})
  target_link_libraries(cz_${room} PUBLIC cuzk_flags ${ARG_USES})
  foreach(source IN LISTS sources)
    if(source MATCHES "_adx\\.c$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-mbmi2;-madx")
    elseif(source MATCHES "_ifma\\.c$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "-mavx512f;-mavx512dq;-mavx512vl;-mavx512bw;-mavx512ifma;-mbmi2;-madx;-mprefer-vector-width=512")
    elseif(source MATCHES "_ni\\.c$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-msha;-msse4.1;-mssse3")
    endif()
  endforeach()
endfunction()

set_source_files_properties("${CMAKE_SOURCE_DIR}/src/base/version.c" PROPERTIES
  COMPILE_DEFINITIONS "CUZK_VERSION=\"${PROJECT_VERSION}\"")

# Regular expressions of tests that are too slow under a sanitizer.
file(STRINGS "${CMAKE_SOURCE_DIR}/tests/heavy.txt" CUZK_HEAVY REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/heavy.txt")

# cuzk_label_test(<test> <label>...): labels and limits of one ctest case. A case that calls skip() counts as skipped; what
# tests/heavy.txt matches also gets label "heavy".
function(cuzk_label_test test)
  set(labels ${ARGN})
  foreach(pattern IN LISTS CUZK_HEAVY)
    if(test MATCHES "${pattern}")
      list(APPEND labels heavy)
    endif()
  endforeach()
  set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT 900
    SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endfunction()

# cuzk_add_cases(<target> <file> <prefix> <label>): a ctest case "<prefix>.<function>" for every function that the file lists
# with cmocka_unit_test...(. A case whose name holds "_slow_" gets label "full" (run by the full tier only), all others
# "quick".
function(cuzk_add_cases target file prefix label)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX "cmocka_unit_test[a-z_]*\\(")
  foreach(line IN LISTS lines)
    string(REGEX MATCHALL "cmocka_unit_test[a-z_]*\\([a-zA-Z0-9_]+" found "${line}")
    foreach(match IN LISTS found)
      string(REGEX REPLACE ".*\\(" "" case "${match}")
      add_test(NAME ${prefix}.${case} COMMAND ${target} ${case})
      if(case MATCHES "_slow_")
        cuzk_label_test(${prefix}.${case} full ${label})
      else()
        cuzk_label_test(${prefix}.${case} quick ${label})
      endif()
    endforeach()
  endforeach()
endfunction()

# cuzk_unit_tests(<room> [USES <targets>...]): every tests/unit/<room>/test_*.c is a program, every case in it a ctest case
# "<room>.<file>.<function>". The target unit_<room> builds them all.
function(cuzk_unit_tests room)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB programs CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/unit/${room}/test_*.c")
  foreach(program IN LISTS programs)
    get_filename_component(name ${program} NAME_WE)
    string(REGEX REPLACE "^test_" "" short ${name})
    set(target unit_${room}_${name})
    add_executable(${target} ${program})
    target_link_libraries(${target} PRIVATE cz_${room} cz_test_support ${ARG_USES})
    cuzk_add_cases(${target} ${program} ${room}.${short} ${room})
    list(APPEND targets ${target})
  endforeach()
  add_custom_target(unit_${room} DEPENDS ${targets})
endfunction()

# cuzk_kernels_only(): the build of CUZK_KERNELS_ONLY; json.cpp, which needs simdjson, stays out.
function(cuzk_kernels_only)
  set_source_files_properties("${CMAKE_SOURCE_DIR}/src/base/json.cpp" PROPERTIES HEADER_FILE_ONLY ON)
  cuzk_room(base USES Threads::Threads)
  cuzk_room(gpu USES cz_base ${CMAKE_DL_LIBS})
  cuzk_room(field USES cz_base)
  cuzk_room(curve USES cz_field)
  cuzk_room(ntt USES cz_field cz_gpu)
  cuzk_room(msm USES cz_curve cz_gpu)
  enable_testing()
  add_subdirectory(tests/diff)
endfunction()
