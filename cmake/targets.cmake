# nw_library(FOLDER SOURCES ... [ALONE some of them] LINKS ...): the static library nw_FOLDER of one engine folder. Its links are its left
# neighbours and, PRIVATE, the one third-party library whose home it is.
function(nw_library name)
    cmake_parse_arguments(A "" "" "SOURCES;ALONE;LINKS;PRIVATE" ${ARGN})
    add_library(nw_${name} STATIC ${A_SOURCES})
    target_link_libraries(nw_${name} PUBLIC nw_build ${A_LINKS} PRIVATE ${A_PRIVATE})
    # Several files to one compilation is a fifth of the time (CMAKE_UNITY_BUILD in the presets). The members of a family
    # (primitives, passes, rules ...) name their private functions alike and are compiled one by one.
    set(alike ${A_SOURCES})
    list(FILTER alike INCLUDE REGEX "^(primitives|passes|rewrite/rules|evaluate|ops|mutations|search)/")
    set_source_files_properties(${alike} ${A_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    # Parsing the standard library is most of a small file's time: once for all folders (the builder's has its own).
    if(name STREQUAL "base")
        target_precompile_headers(nw_base PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)
    elseif(NOT name STREQUAL "code")
        target_precompile_headers(nw_${name} REUSE_FROM nw_base)
    endif()
endfunction()

# nw_test(FOLDER SOURCES tst_a.cpp tst_b.cpp ... [HELPERS more.cpp] [SERIAL tst_b ...] LINKS ...): one executable test_FOLDER, one ctest
# entry FOLDER.tst_a per source. Each source ends with NW_TEST_MAIN(tst_a, ClassName) and includes "tst_a.moc".
function(nw_test name)
    cmake_parse_arguments(A "" "" "SOURCES;HELPERS;SERIAL;LINKS;LABELS;RUNNER" ${ARGN})
    set(NW_DECLARATIONS "")
    set(NW_ROWS "")
    foreach(source ${A_SOURCES})
        get_filename_component(stem ${source} NAME_WE)
        string(APPEND NW_DECLARATIONS "int run_${stem}(int argc, char** argv);\n")
        string(APPEND NW_ROWS "    {\"${stem}\", &run_${stem}},\n")
    endforeach()
    configure_file(${CMAKE_SOURCE_DIR}/tests/support/test_main.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/main_${name}.cpp @ONLY)
    add_executable(test_${name} ${A_SOURCES} ${A_HELPERS} ${CMAKE_CURRENT_BINARY_DIR}/main_${name}.cpp)
    set_target_properties(test_${name} PROPERTIES AUTOMOC ON UNITY_BUILD OFF)
    if("${A_LINKS}" MATCHES "nw_view_|nw_gui")
        target_precompile_headers(test_${name} REUSE_FROM nw_test_window)
    else()
        target_precompile_headers(test_${name} REUSE_FROM nw_test_engine)
    endif()
    target_link_libraries(test_${name} PRIVATE nw_test_build ${A_LINKS})
    foreach(source ${A_SOURCES})
        get_filename_component(stem ${source} NAME_WE)
        add_test(NAME ${name}.${stem} COMMAND ${A_RUNNER} $<TARGET_FILE:test_${name}> ${stem})
        set_tests_properties(${name}.${stem} PROPERTIES LABELS "${A_LABELS}" TIMEOUT 600
            ENVIRONMENT "QT_QPA_PLATFORM=offscreen")
        if(${stem} IN_LIST A_SERIAL) # it measures, or waits for a clock
            set_tests_properties(${name}.${stem} PROPERTIES RUN_SERIAL ON)
        endif()
    endforeach()
endfunction()

# One function of a test source as a test of its own name, so that a case from the field is found by it.
function(nw_case name case stem function)
    add_test(NAME ${name}.${case} COMMAND $<TARGET_FILE:test_${name}> ${stem} ${function})
    foreach(property LABELS TIMEOUT ENVIRONMENT RUN_SERIAL)
        get_test_property(${name}.${stem} ${property} value)
        if(value)
            set_tests_properties(${name}.${case} PROPERTIES ${property} "${value}")
        endif()
    endforeach()
endfunction()
