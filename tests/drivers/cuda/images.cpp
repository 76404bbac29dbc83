// CUDA's programs: machine code, fatbins, bounds of a kernel.
#include "fixture.hpp"

namespace {

using namespace table;

}  // namespace

TEST("cuda-images: a loaded program gives the same binary") {
    const std::string binary = binary_of(program());
    Program loaded;
    need(load(binary, loaded));
    CHECK_EQ(binary_of(loaded), binary);
}

TEST("cuda-images: what says that it is a longer fatbin is damaged") {
    driver();
    std::string fatbin = {0x50, static_cast<char>(0xed), 0x55, static_cast<char>(0xba), 1, 0, 16, 0};
    fatbin.resize(64);
    fatbin[8] = 49;
    Program damaged;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "damaged", load(fatbin, damaged));
}

TEST("cuda-images: a kernel's own bound of its groups") {
    const Program bounded = build("extern \"C\" __global__ void __launch_bounds__(128) small() {}");
    CHECK_EQ(kernel(bounded, "small").max_group_size, 128u);
    const Kernel fill = kernel(program(), "fill");
    CHECK(fill.max_group_size >= 32 && fill.max_group_size <= 1024);
}

TEST("cuda-images: a launch says how many groups and bytes there may be") {
    const Stream stream = open_stream();
    const Memory block = allocate(400);
    const Kernel fill = kernel(program(), "fill");
    const std::uint64_t n = 100;
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "2147483648 groups are more than the device can count, 2147483647",
                  launch(stream, fill, std::uint64_t{1} << 31, 32, nullptr, block, 1u, n));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "argument 2 has 8 bytes, not 4",
                  launch(stream, fill, 1, 32, nullptr, block, 1u, 100u));
}
