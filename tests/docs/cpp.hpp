// Names that the pieces of docs/cpp.md and docs/async.md take from the program around them.
#include <merklize/async.hpp>
#include <merklize/merklize.hpp>

extern const merklize::Device device;
extern merklize::Buffer rows, leaves, nodes;
extern merklize::Stream other;
extern void *device_pointer, *cu_stream;
extern const std::size_t bytes;
