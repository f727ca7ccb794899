# Warnings, sanitizers, compiler cache and linker, the same for every target.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1")
if(BRAID_SANITIZE MATCHES "undefined")
  # Optimizing what UndefinedBehaviorSanitizer adds takes two to three times as long as compiling it.
  set(CMAKE_CXX_FLAGS_DEV "-O0 -g1")
endif()

set(CMAKE_CXX_FLAGS_FUZZ "-O1 -g1")

find_program(BRAID_CCACHE ccache)
if(BRAID_CCACHE)
  # Objects are found again whatever folder the checkout lies in.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${BRAID_CCACHE})
endif()
find_program(BRAID_MOLD mold)
if(BRAID_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(BRAID_FUZZERS)
  # The other presets tell of warnings.
  add_compile_options(-w)
else()
  add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees dangling and overflowing accesses in std::variant and std::string that are not there (GCC bugs 105593, 105651).
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
if(BRAID_SANITIZE)
  add_compile_options(-fsanitize=${BRAID_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BRAID_SANITIZE})
  if(BRAID_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=all)
    if(BRAID_FUZZERS)
      # These look at types of Arrow's classes that its library keeps to itself.
      add_compile_options(-fno-sanitize=vptr,function)
    endif()
  endif()
endif()
