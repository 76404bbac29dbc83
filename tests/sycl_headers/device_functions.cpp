// merklize/sycl/device.hpp inside a user's own kernels, and the text of all kernels that these tests run.
#include "../support.hpp"
#include "runtime.hpp"

using sycl_headers::Bytes;
using sycl_headers::Memory;
using sycl_headers::Runtime;

Runtime::Bundle Runtime::build(const std::string& text, const std::vector<std::string>& names) {
    namespace experimental = ::sycl::ext::oneapi::experimental;
    const std::vector<std::string> options{"-std=c++20", "-I" MERKLIZE_INCLUDE};
    std::string log;
    try {
        auto source = experimental::create_kernel_bundle_from_source(queue.get_context(),
                                                                     experimental::source_language::sycl, text);
        return experimental::build(
            source, experimental::properties{experimental::build_options(options), experimental::save_log(&log),
                                             experimental::registered_names(names)});
    } catch (const ::sycl::exception& e) {
        std::cout << e.what() << '\n' << log << '\n';
        throw;
    }
}

// `run` is what QueueSubmit's lambda is: an item and local memory for one of the headers' function objects.
std::string Runtime::text() {
    return R"(
#include <merklize/sycl.hpp>

namespace experimental = sycl::ext::oneapi::experimental;
#define USER_KERNEL extern "C" SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::single_task_kernel))

template <class Kernel>
SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<1>))
void run(const void* object, experimental::work_group_memory<std::uint64_t[]> local) {
    const Kernel kernel = *static_cast<const Kernel*>(object);
    kernel(sycl::ext::oneapi::this_work_item::get_nd_item<1>(), &local[0]);
}

USER_KERNEL void user_merge(const std::uint32_t* in, std::uint32_t* out) {
    merklize::sycl::merge(out, in, in + 8);
}

// BLAKE3 of up to 2048 bytes, by hand.
USER_KERNEL void user_digest(const unsigned char* data, std::uint32_t bytes, std::uint32_t* out) {
    using merklize::sycl::Blake3Flag;
    if (bytes <= 1024) {
        merklize::sycl::chunk(out, data, bytes, 0, Blake3Flag::root);
        return;
    }
    std::uint32_t left[8], right[8];
    merklize::sycl::chunk(left, data, 1024, 0);
    merklize::sycl::chunk(right, data + 1024, bytes - 1024, 1);
    merklize::sycl::parent(out, left, right, Blake3Flag::root);
}

// Digest of each of four messages of 64 bytes: one compression, a lane each.
USER_KERNEL void user_compress(const std::uint32_t* in, std::uint32_t* out) {
    using merklize::sycl::Blake3Flag;
    constexpr std::uint32_t flags = Blake3Flag::chunk_start + Blake3Flag::chunk_end + Blake3Flag::root;
    using Lanes = sycl::vec<std::uint32_t, 4>;
    std::uint32_t iv[8];
    merklize::sycl::initial_value(iv);
    Lanes cv[8], block[16];
    for (int k = 0; k < 8; k++) cv[k] = Lanes(iv[k]);
    for (int k = 0; k < 16; k++)
        for (int j = 0; j < 4; j++) block[k][j] = in[16 * j + k];
    merklize::sycl::compress<4>(cv, block, Lanes(0), Lanes(0), Lanes(64), Lanes(flags));
    for (int k = 0; k < 8; k++)
        for (int j = 0; j < 4; j++) out[8 * j + k] = cv[k][j];
    merklize::sycl::compress(iv, in, 0, 64, flags);
    for (int k = 0; k < 8; k++) out[32 + k] = iv[k];
}

template <merklize::Hash hash>
void rescue(const std::uint64_t* in, std::uint32_t n, std::uint64_t* out) {
    merklize::sycl::merge<hash>(out, in, in + 4);
    merklize::sycl::hash_row<hash>(out + 4, in, n);
    for (int k = 0; k < 12; k++) out[8 + k] = in[k];
    merklize::sycl::permute<hash>(out + 8);
}

USER_KERNEL void user_rescue(const std::uint64_t* in, std::uint32_t n, std::uint64_t* out) {
    rescue<merklize::Hash::rp64_256_v1>(in, n, out);
    rescue<merklize::Hash::rp64_256_v2>(in, n, out + 20);
    rescue<merklize::Hash::rp64_256_v3>(in, n, out + 40);
}
)";
}

namespace {

template <class... Arguments>
void run(const char* name, Arguments... arguments) {
    auto& runtime = Runtime::get();
    runtime.queue
        .submit([&](sycl::handler& handler) {
            handler.set_args(arguments...);
            handler.single_task(runtime.kernel(name));
        })
        .wait();
}

}  // namespace

TEST("the example, as DPC++ compiles it for a device: kernels that are lambdas of QueueSubmit") {
    std::ifstream file(MERKLIZE_SYCL_EXAMPLE);
    std::stringstream text;
    text << file.rdbuf();
    CHECK(text.str().find("merklize::sycl::merklize(queue") != std::string::npos);
    Runtime::get().build(text.str(), {});
}

TEST("device functions: merge") {
    const Bytes data = support::pattern(64);
    Memory in(data), out(32);
    run("user_merge", reinterpret_cast<const std::uint32_t*>(in.data()), reinterpret_cast<std::uint32_t*>(out.data()));
    CHECK_EQ(out.bytes(), reference::blake3(data));
}

TEST("device functions: chunk and parent") {
    for (const std::size_t size : {0, 1, 64, 65, 1023, 1024, 1025, 2000, 2048}) {
        const Bytes data = support::pattern(size);
        for (const std::size_t shift : {0, 1}) {
            Memory in(data, shift), out(32);
            run("user_digest", static_cast<const unsigned char*>(in.data()), static_cast<std::uint32_t>(size),
                reinterpret_cast<std::uint32_t*>(out.data()));
            CHECK_EQ(out.bytes(), reference::blake3(data));
        }
    }
}

TEST("device functions: compress, of words and of vectors") {
    const Bytes data = support::pattern(256);
    Memory in(data), out(160);
    run("user_compress", reinterpret_cast<const std::uint32_t*>(in.data()),
        reinterpret_cast<std::uint32_t*>(out.data()));
    for (std::ptrdiff_t j = 0; j < 4; ++j) {
        const Bytes message(data.begin() + 64 * j, data.begin() + 64 * j + 64);
        CHECK_EQ(out.part(static_cast<std::size_t>(32 * j), 32), reference::blake3(message));
    }
    CHECK_EQ(out.part(128, 32), out.part(0, 32));
}

TEST("device functions: rescue prime") {
    support::Random random(3);
    for (const std::uint32_t n : {0u, 1u, 8u, 11u, 20u}) {
        std::vector<std::uint64_t> words(20);
        for (auto& word : words) word = random.element();
        Memory in(160), out(8 * 60);
        std::memcpy(in.data(), words.data(), 160);
        run("user_rescue", reinterpret_cast<const std::uint64_t*>(in.data()), n,
            reinterpret_cast<std::uint64_t*>(out.data()));
        const auto* got = reinterpret_cast<const std::uint64_t*>(out.data());
        for (int variant = 1; variant <= 3; ++variant, got += 20) {
            const auto merged = reference::rescue_hash_elements(variant, {words.begin(), words.begin() + 8});
            const auto hashed = reference::rescue_hash_elements(variant, {words.begin(), words.begin() + n});
            reference::State state;
            std::copy_n(words.begin(), 12, state.begin());
            reference::rescue_permute(variant, state);
            CHECK(std::equal(merged.begin(), merged.end(), got));
            CHECK(std::equal(hashed.begin(), hashed.end(), got + 4));
            CHECK(std::equal(state.begin(), state.end(), got + 8));
        }
    }
}
