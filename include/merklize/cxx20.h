/* cxx20.h: the C++ headers stop here, with one line, in any other language. */
#ifndef MERKLIZE_CXX20_H
#define MERKLIZE_CXX20_H

#if defined(_MSVC_LANG)
#define MERKLIZE_CPLUSPLUS _MSVC_LANG
#elif defined(__cplusplus)
#define MERKLIZE_CPLUSPLUS __cplusplus
#else
#define MERKLIZE_CPLUSPLUS 0
#endif

#if MERKLIZE_CPLUSPLUS <= 201703L
#error merklize needs C++20 (-std=c++20); its C API, merklize.h, is for C and any C++
#include <merklize/needs_cxx20> /* is not there: compilers go on after #error, and stop here */
#endif

#endif
