# One folder below src/ = one layer = one library = one test binary.
#
#   braid_module(meta
#     SOURCES a.cc b.cc          sources of the library braid_meta
#     TESTS a_test.cc            sources of the test binary meta_test
#     DEPS braid::types          libraries whose types appear in this folder's headers
#     PRIVATE_DEPS braid::io     libraries used in its sources alone
#     TEST_DEPS …)               further libraries of the tests

# The order of the layers: a folder includes and links only folders before it.
set(BRAID_LAYERS base io types format meta mergetree table catalog lineage syntax duck sql connectors
    delta jobs correction server cli)

function(braid_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;DEPS;PRIVATE_DEPS;TEST_DEPS" ${ARGN})
  set(target braid_${name})
  add_library(${target} ${ARG_SOURCES})
  add_library(braid::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
  if(BRAID_SHARED AND NOT (BRAID_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))  # its runtime is in programs alone
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  if(ARG_TESTS AND BUILD_TESTING)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE ${target} ${ARG_PRIVATE_DEPS} ${ARG_TEST_DEPS} GTest::gmock_main)
    # Optimizing what the test macros expand to takes a third of the whole build; the libraries under test keep their flags.
    target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
    # Tests run in the source folder and find their data from there: with an absolute path the compiler cache of one checkout
    # would be of no use to another.
    target_compile_definitions(${name}_test PRIVATE BRAID_SOURCE_DIR=".")
    add_test(NAME ${name} COMMAND ${name}_test WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 1800)
  endif()
endfunction()

# Stops the configure step at an #include that goes against the order of the layers.
function(braid_check_layers)
  set(position 0)
  foreach(layer IN LISTS BRAID_LAYERS)
    set(order_${layer} ${position})
    math(EXPR position "${position} + 1")
  endforeach()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src
       ${CMAKE_SOURCE_DIR}/src/*.h ${CMAKE_SOURCE_DIR}/src/*.cc)
  foreach(file IN LISTS files)
    string(REGEX MATCH "^[^/]+" layer ${file})
    if(NOT DEFINED order_${layer})
      if(file MATCHES "/")
        message(FATAL_ERROR "src/${file}: folder ${layer} is not in the order of layers (cmake/braid_module.cmake)")
      endif()
      continue()
    endif()
    file(STRINGS ${CMAKE_SOURCE_DIR}/src/${file} includes REGEX "^#include \"")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE "^#include \"([^/\"]+)(/?).*" "\\1;\\2" parts ${line})
      list(GET parts 0 other)
      if(NOT DEFINED order_${other})
        message(FATAL_ERROR "src/${file}: ${line} names no layer; headers are included from src/")
      elseif(order_${other} GREATER order_${layer})
        message(FATAL_ERROR "src/${file}: ${layer} may not include ${other}, which comes after it (cmake/braid_module.cmake)")
      elseif(line MATCHES "_internal.h\"" AND NOT other STREQUAL layer)
        message(FATAL_ERROR "src/${file}: ${line} is internal to ${other}")
      endif()
    endforeach()
    # Foreign headers stay in the folders that own them.
    file(STRINGS ${CMAKE_SOURCE_DIR}/src/${file} foreign
         REGEX "^#include <(duckdb|parquet/|sqlite3|nlohmann/|CLI/|librdkafka|curl/|histedit|spdlog/)")
    foreach(line IN LISTS foreign)
      string(REGEX REPLACE "^#include <(duckdb|parquet|sqlite3|nlohmann|CLI|librdkafka|curl|histedit|spdlog).*" "\\1" library ${line})
      set(owner_duckdb duck)
      set(owner_parquet format)
      set(owner_sqlite3 lineage)
      set(owner_nlohmann base)
      set(owner_CLI cli)
      set(owner_librdkafka connectors)
      set(owner_curl io)
      set(owner_histedit cli)
      set(owner_spdlog base)
      if(NOT layer STREQUAL "${owner_${library}}")
        message(FATAL_ERROR "src/${file}: ${line} belongs in src/${owner_${library}} alone")
      endif()
    endforeach()
  endforeach()
endfunction()
