# waystone_component(NAME [MODULE|PROGRAM] [DEPS component...] [LIBS target...] [TEST_DEPS component...] [TEST_LIBS target...]
#                    [BENCH_LIBS target...])
#
# Makes, from the sources that stand in the calling folder:
#   waystone_NAME        a static library of *.cc (a loadable module with MODULE, the program with PROGRAM)
#   waystone_NAME_test   one program of all *_test.cc, registered with ctest under the label "unit"
#   waystone_NAME_bench  one program of all *_bench.cc, if WAYSTONE_BENCH
#   FILE_fuzz            a libFuzzer program for each *_fuzz.cc, if WAYSTONE_FUZZ
# DEPS are components of ours, LIBS are third-party targets; both are public. Slashes in NAME become underscores in targets.

add_library(waystone_options INTERFACE)
target_include_directories(waystone_options INTERFACE "${CMAKE_SOURCE_DIR}/src")
target_compile_options(waystone_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(waystone_options INTERFACE -Wthread-safety -Werror=thread-safety)
endif()
# What the presets with sanitizers and with fuzzing instrument: our code and the code generated from our contracts.
add_library(waystone_sanitizers INTERFACE)
if(WAYSTONE_SANITIZE)
  target_compile_options(waystone_sanitizers INTERFACE -fsanitize=${WAYSTONE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(waystone_sanitizers INTERFACE -fsanitize=${WAYSTONE_SANITIZE})
endif()
if(WAYSTONE_FUZZ)
  target_compile_options(waystone_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(waystone_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_link_libraries(waystone_options INTERFACE waystone_sanitizers)
set(WAYSTONE_TEST_DEFINITIONS
    WAYSTONE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" WAYSTONE_BINARY_DIR="${CMAKE_BINARY_DIR}")

include(GoogleTest)

# Registers a test program with ctest. TSan and ASan need options that third-party libraries make necessary.
function(waystone_register_tests target label)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                       PROPERTIES LABELS ${label} TIMEOUT 300
                       # Two properties of one value each: a list does not survive gtest_discover_tests.
                       ENVIRONMENT TBB_ENABLE_SANITIZERS=1
                       ENVIRONMENT_MODIFICATION
                       LSAN_OPTIONS=set:suppressions=${CMAKE_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0)
endfunction()

function(waystone_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MODULE;PROGRAM" "" "DEPS;LIBS;TEST_DEPS;TEST_LIBS;BENCH_LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "waystone_component(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  string(REPLACE "/" "_" id "waystone_${name}")
  set(deps)
  foreach(dep IN LISTS arg_DEPS)
    string(REPLACE "/" "_" dep_id "waystone_${dep}")
    list(APPEND deps ${dep_id})
  endforeach()
  set(test_deps)
  foreach(dep IN LISTS arg_TEST_DEPS)
    string(REPLACE "/" "_" dep_id "waystone_${dep}")
    list(APPEND test_deps ${dep_id})
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(benches ${sources})
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")

  set(link_scope PUBLIC)
  if(arg_MODULE)
    add_library(${id} MODULE ${sources})
  elseif(arg_PROGRAM)
    add_executable(${id} ${sources})
  elseif(sources)
    add_library(${id} STATIC ${sources})
  else()
    add_library(${id} INTERFACE)
    set(link_scope INTERFACE)
  endif()
  target_link_libraries(${id} ${link_scope} ${deps} ${arg_LIBS} waystone_options)

  # What tests, benches and fuzz targets link: the component itself, or its dependencies where it cannot be linked.
  set(subject ${id})
  if(arg_MODULE OR arg_PROGRAM)
    set(subject ${deps} ${arg_LIBS} waystone_options)
  endif()
  if(tests)
    add_executable(${id}_test ${tests})
    target_link_libraries(${id}_test PRIVATE ${subject} ${test_deps} ${arg_TEST_LIBS} GTest::gmock GTest::gtest_main)
    target_include_directories(${id}_test PRIVATE "${CMAKE_SOURCE_DIR}/tests")
    target_compile_definitions(${id}_test PRIVATE ${WAYSTONE_TEST_DEFINITIONS})
    waystone_register_tests(${id}_test unit)
  endif()
  if(benches AND WAYSTONE_BENCH)
    add_executable(${id}_bench ${benches})
    target_link_libraries(${id}_bench PRIVATE ${subject} ${arg_BENCH_LIBS} benchmark::benchmark_main)
    target_include_directories(${id}_bench PRIVATE "${CMAKE_SOURCE_DIR}/tests")
    target_compile_definitions(${id}_bench PRIVATE ${WAYSTONE_TEST_DEFINITIONS})
  endif()
  if(WAYSTONE_FUZZ)
    foreach(fuzzer IN LISTS fuzzers)
      get_filename_component(fuzz_id ${fuzzer} NAME_WE)
      add_executable(${fuzz_id} ${fuzzer})
      target_link_libraries(${fuzz_id} PRIVATE ${subject} ${test_deps})
      target_link_options(${fuzz_id} PRIVATE -fsanitize=fuzzer)
      target_include_directories(${fuzz_id} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
      set_target_properties(${fuzz_id} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
      set_property(GLOBAL APPEND PROPERTY WAYSTONE_FUZZERS ${fuzz_id})
    endforeach()
  endif()
endfunction()
