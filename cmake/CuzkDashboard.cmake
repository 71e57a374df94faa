# CuzkDashboard.cmake: target cz_dashboard, the bytes of src/rpc/dashboard/dashboard.html as cz_dashboard[].
set(cuzk_dashboard_in "${CMAKE_SOURCE_DIR}/src/rpc/dashboard/dashboard.html")
set(cuzk_dashboard_out "${CMAKE_BINARY_DIR}/generated/rpc/dashboard")
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/generated/rpc")
add_custom_command(
  OUTPUT "${cuzk_dashboard_out}.c" "${cuzk_dashboard_out}.h"
  COMMAND ${CMAKE_COMMAND} "-DIN=${cuzk_dashboard_in}" "-DOUT=${cuzk_dashboard_out}"
          -P "${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake"
  DEPENDS "${cuzk_dashboard_in}" "${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake"
  VERBATIM)
add_library(cz_dashboard STATIC "${cuzk_dashboard_out}.c" "${cuzk_dashboard_out}.h")
target_include_directories(cz_dashboard SYSTEM PUBLIC "${CMAKE_BINARY_DIR}/generated")
