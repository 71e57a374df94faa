# CuzkCuda.cmake: the CUDA backend, a shared object that programs load at run time (src/gpu/backend.h).
#
# Needs nvcc to build, not a GPU. Sources: every src/*/*_cuda.cu.

set(CUZK_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (release builds, when nvcc is found) | ON | OFF")
set(all_archs "80;86;89;90;120")
if(DEFINED ENV{CUZK_CUDA_ARCHS})
  set(all_archs "$ENV{CUZK_CUDA_ARCHS}")
endif()
set(CUZK_CUDA_ARCHS "${all_archs}" CACHE STRING "Architectures of the CUDA backend, as 90 for sm_90; default: the environment's, else all")

set(CUZK_WITH_CUDA OFF)
if(CUZK_CUDA STREQUAL "ON" OR
   (CUZK_CUDA STREQUAL "AUTO" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND
    NOT CUZK_SANITIZE AND NOT CUZK_FUZZ AND NOT CUZK_COVERAGE AND NOT CUZK_VERIFY))
  include(CheckLanguage)
  set(CMAKE_CUDA_ARCHITECTURES ${CUZK_CUDA_ARCHS})
  list(TRANSFORM CMAKE_CUDA_ARCHITECTURES APPEND "-real")
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CUZK_WITH_CUDA ON)
    execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --version OUTPUT_VARIABLE nvcc_says)
    if(nvcc_says MATCHES "release ([0-9.]+)" AND CMAKE_MATCH_1 VERSION_LESS 12.8 AND "120-real" IN_LIST CMAKE_CUDA_ARCHITECTURES)
      message(STATUS "nvcc ${CMAKE_MATCH_1}: no code for sm_120, which takes 12.8")
      list(REMOVE_ITEM CMAKE_CUDA_ARCHITECTURES 120-real)
    endif()
  elseif(CUZK_CUDA STREQUAL "ON")
    message(FATAL_ERROR "CUZK_CUDA=ON, but there is no nvcc")
  endif()
endif()

if(CUZK_WITH_CUDA)
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_FLAGS_RELEASE "-O3")
  file(GLOB cuda_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/*/*_cuda.cu")
  set(host_sources base/err.c gpu/arena.c msm/msm_plan.c) # what the object needs of the host's code
  list(TRANSFORM host_sources PREPEND "${CMAKE_SOURCE_DIR}/src/")
  add_library(cuzk-cuda SHARED ${cuda_sources} ${host_sources})
  target_include_directories(cuzk-cuda PRIVATE "${CMAKE_SOURCE_DIR}/src")
  target_compile_options(cuzk-cuda PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas,-Wno-maybe-uninitialized>)
  if(CUZK_WERROR)
    target_compile_options(cuzk-cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
  endif()
  target_link_options(cuzk-cuda PRIVATE "LINKER:--exclude-libs,ALL" "LINKER:-z,defs")
  set_target_properties(cuzk-cuda PROPERTIES
    C_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden CUDA_RUNTIME_LIBRARY Static
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
endif()
