# merklize/sycl.hpp as AdaptiveCpp compiles it: by its generic compiler and by the library alone, on processors. Takes
# minutes.
set(headers_sources ${CMAKE_CURRENT_LIST_DIR}/../check.cpp ${CMAKE_CURRENT_LIST_DIR}/digests.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/trees.cpp)
foreach(flow IN ITEMS generic omp.library-only)
  set(compile ${MERKLIZE_TEST_ADAPTIVECPP}/bin/acpp --acpp-targets=${flow} -std=c++20 -O2 -I ${PROJECT_SOURCE_DIR}/include)
  add_custom_command(OUTPUT test-adaptivecpp-${flow} DEPENDS ${headers_sources} test-reference merklize
    COMMAND ${compile} ${headers_sources} $<TARGET_FILE:test-reference> $<TARGET_FILE:merklize> -ldl
            -o test-adaptivecpp-${flow})
  add_custom_command(OUTPUT example-adaptivecpp-${flow} DEPENDS ${PROJECT_SOURCE_DIR}/examples/sycl_tree.cpp
    COMMAND ${compile} ${PROJECT_SOURCE_DIR}/examples/sycl_tree.cpp -o example-adaptivecpp-${flow})
  add_custom_target(adaptivecpp-${flow} ALL DEPENDS test-adaptivecpp-${flow} example-adaptivecpp-${flow})
  add_test(NAME adaptivecpp.${flow} COMMAND ${CMAKE_CURRENT_BINARY_DIR}/test-adaptivecpp-${flow})
  add_test(NAME adaptivecpp.${flow}.example COMMAND ${CMAKE_CURRENT_BINARY_DIR}/example-adaptivecpp-${flow})
  set_tests_properties(adaptivecpp.${flow}.example PROPERTIES PASS_REGULAR_EXPRESSION
                       "rescue cb1449cb706afccd.*leaf 389 is in the tree: yes")
  set_tests_properties(adaptivecpp.${flow} adaptivecpp.${flow}.example PROPERTIES TIMEOUT ${hang} LABELS sycl)
endforeach()
