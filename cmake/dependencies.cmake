# Finds what tools/setup installed or fetched; fetches nothing. A system's Arrow wins over the fetched one.
if(DEFINED ENV{BRAID_DEPS})
  set(_default_deps "$ENV{BRAID_DEPS}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(_default_deps "$ENV{XDG_CACHE_HOME}/braid-deps")
else()
  set(_default_deps "$ENV{HOME}/.cache/braid-deps")
endif()
set(BRAID_DEPS "${_default_deps}" CACHE PATH "Folder that tools/setup filled")

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(GTest REQUIRED)
find_package(roaring REQUIRED)
find_package(CURL 7.86 REQUIRED)

# Debian ships no CMake configuration for these two.
foreach(lib zstd snappy edit)
  find_library(BRAID_LIB_${lib} ${lib} REQUIRED)
  add_library(braid_${lib} INTERFACE)
  target_link_libraries(braid_${lib} INTERFACE ${BRAID_LIB_${lib}})
endforeach()

find_package(Arrow 24 CONFIG QUIET)
find_package(Parquet 24 CONFIG QUIET)
add_library(braid_arrow INTERFACE)
add_library(braid_parquet INTERFACE)
add_library(braid_arrow_s3 INTERFACE)
if(Arrow_FOUND AND Parquet_FOUND)
  target_link_libraries(braid_arrow INTERFACE Arrow::arrow_shared)
  target_link_libraries(braid_parquet INTERFACE Parquet::parquet_shared braid_arrow)
  # Elsewhere it may be a part of libarrow.
  find_library(BRAID_LIB_arrow_s3 arrow_s3)
  target_link_libraries(braid_arrow_s3 INTERFACE braid_arrow)
  if(BRAID_LIB_arrow_s3)
    target_link_libraries(braid_arrow_s3 INTERFACE ${BRAID_LIB_arrow_s3})
  endif()
else()
  set(_arrow "${BRAID_DEPS}/arrow-26.0.1")
  foreach(lib arrow parquet arrow_s3)
    if(NOT EXISTS "${_arrow}/lib/lib${lib}.so.2600")
      message(FATAL_ERROR "lib${lib} is missing below ${BRAID_DEPS}; run tools/setup")
    endif()
    add_library(braid_${lib}_so SHARED IMPORTED)
    set_target_properties(braid_${lib}_so PROPERTIES
      IMPORTED_LOCATION "${_arrow}/lib/lib${lib}.so.2600" IMPORTED_SONAME lib${lib}.so.2600
      INTERFACE_INCLUDE_DIRECTORIES "${_arrow}/include"
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_arrow}/include")
  endforeach()
  target_link_libraries(braid_arrow INTERFACE braid_arrow_so)
  target_link_libraries(braid_parquet INTERFACE braid_parquet_so braid_arrow_so)
  target_link_libraries(braid_arrow_s3 INTERFACE braid_arrow_s3_so braid_arrow_so)
endif()

set(_duckdb "${BRAID_DEPS}/duckdb-1.5.6")
if(NOT EXISTS "${_duckdb}/lib/libduckdb.so")
  message(FATAL_ERROR "libduckdb is missing below ${BRAID_DEPS}; run tools/setup")
endif()
add_library(braid_duckdb SHARED IMPORTED)
set_target_properties(braid_duckdb PROPERTIES
  IMPORTED_LOCATION "${_duckdb}/lib/libduckdb.so" IMPORTED_SONAME libduckdb.so
  INTERFACE_INCLUDE_DIRECTORIES "${_duckdb}/include"
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_duckdb}/include")

# Headers alone.
set(_datasketches "${BRAID_DEPS}/datasketches-dsrs-0.6.1")
if(NOT EXISTS "${_datasketches}/include/hll.hpp")
  message(FATAL_ERROR "DataSketches is missing below ${BRAID_DEPS}; run tools/setup")
endif()
add_library(braid_datasketches INTERFACE)
target_include_directories(braid_datasketches SYSTEM INTERFACE "${_datasketches}/include")
