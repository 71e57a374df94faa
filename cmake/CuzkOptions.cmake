# CuzkOptions.cmake: language level, warnings and the switches that the presets set.

option(CUZK_VERIFY "Check contracts at run time (CZ_ASSERT)" OFF)
set(CUZK_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=...: address,undefined | thread | empty")
set(CUZK_UNSANITIZED "" CACHE STRING "Targets without them, such as cz_msm: the arithmetic takes a hundred times as long under TSan")
option(CUZK_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(CUZK_COVERAGE "Instrument for gcov" OFF)
option(CUZK_WERROR "Warnings are errors" ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -g1")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1") # sanitizers, fuzzing, coverage
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

# Everything that our targets share. gcc cannot see that cz_fail() never returns CZ_OK, so its guess about
# outputs left uninitialised is off.
add_library(cuzk_flags INTERFACE)
target_include_directories(cuzk_flags INTERFACE "${CMAKE_SOURCE_DIR}/src")
target_compile_options(cuzk_flags INTERFACE
  -Wall -Wextra -Wpedantic $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -Wshadow -Wpointer-arith -Wredundant-decls
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wsign-conversion -Wmissing-prototypes>)
if(CUZK_WERROR)
  target_compile_options(cuzk_flags INTERFACE -Werror)
endif()
if(CUZK_VERIFY)
  target_compile_definitions(cuzk_flags INTERFACE CZ_VERIFY=1)
endif()
if(CUZK_SANITIZE)
  set(sanitized "$<NOT:$<IN_LIST:$<TARGET_PROPERTY:NAME>,${CUZK_UNSANITIZED}>>")
  target_compile_options(cuzk_flags INTERFACE
    "$<${sanitized}:-fsanitize=${CUZK_SANITIZE};-fno-sanitize-recover=all>" -fno-omit-frame-pointer)
  target_link_options(cuzk_flags INTERFACE -fsanitize=${CUZK_SANITIZE})
  target_compile_definitions(cuzk_flags INTERFACE $<$<C_COMPILER_ID:Clang>:CZ_PLAIN_C=1>)
endif()
if(CUZK_FUZZ)
  target_compile_options(cuzk_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CUZK_COVERAGE)
  target_compile_options(cuzk_flags INTERFACE --coverage)
  target_link_options(cuzk_flags INTERFACE --coverage)
endif()
