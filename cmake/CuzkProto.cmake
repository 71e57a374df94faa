# CuzkProto.cmake: C code of src/rpc/proto/*.proto, generated at build time.
#
# Target cz_proto: the messages (rpc/proto/<name>.pb-c.h) and, for server reflection, the descriptors of all files as
# bytes (rpc/proto/descriptors.h).

find_package(PkgConfig REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c>=1.4)
find_program(CUZK_PROTOC_C protoc-c REQUIRED)

set(cuzk_proto_in "${CMAKE_SOURCE_DIR}/src/rpc/proto")
set(cuzk_proto_out "${CMAKE_BINARY_DIR}/generated/rpc/proto")
set(cuzk_protos proving health reflection)

set(cuzk_proto_files ${cuzk_protos})
list(TRANSFORM cuzk_proto_files PREPEND "${cuzk_proto_in}/")
list(TRANSFORM cuzk_proto_files APPEND ".proto")
set(cuzk_proto_code)
foreach(name IN LISTS cuzk_protos)
  list(APPEND cuzk_proto_code "${cuzk_proto_out}/${name}.pb-c.c" "${cuzk_proto_out}/${name}.pb-c.h")
endforeach()

file(MAKE_DIRECTORY "${cuzk_proto_out}")
add_custom_command(
  OUTPUT ${cuzk_proto_code} "${cuzk_proto_out}/descriptors.pb"
  COMMAND ${CUZK_PROTOC_C} "--proto_path=${cuzk_proto_in}" "--c_out=${cuzk_proto_out}"
          "--descriptor_set_out=${cuzk_proto_out}/descriptors.pb" ${cuzk_proto_files}
  DEPENDS ${cuzk_proto_files}
  COMMENT "Generating C code of the .proto files"
  VERBATIM)
add_custom_command(
  OUTPUT "${cuzk_proto_out}/descriptors.c" "${cuzk_proto_out}/descriptors.h"
  COMMAND ${CMAKE_COMMAND} "-DIN=${cuzk_proto_out}/descriptors.pb" "-DOUT=${cuzk_proto_out}/descriptors"
          -P "${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake"
  DEPENDS "${cuzk_proto_out}/descriptors.pb" "${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake"
  VERBATIM)

add_library(cz_proto STATIC ${cuzk_proto_code} "${cuzk_proto_out}/descriptors.c" "${cuzk_proto_out}/descriptors.h")
target_include_directories(cz_proto SYSTEM PUBLIC "${CMAKE_BINARY_DIR}/generated" PRIVATE "${cuzk_proto_out}")
target_link_libraries(cz_proto PUBLIC PkgConfig::PROTOBUF_C)
if(CUZK_SANITIZE) # the code is not ours, but it must not hide our mistakes
  target_compile_options(cz_proto PRIVATE -fsanitize=${CUZK_SANITIZE} -fno-omit-frame-pointer)
endif()
