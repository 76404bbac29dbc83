// Keys of XMSS.
#include <algorithm>
#include <memory>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
namespace xmss = merklize::xmss;

namespace {

// Copies to a caller's array of as many bytes.
template <class From>
void put_all(const Call& call, const From& from, std::uint8_t* out, const char* name) {
    std::ranges::copy(std::as_bytes(std::span(from)),
                      call.bytes(&call.need(out, name), std::as_bytes(std::span(from)).size(), name).begin());
}

}  // namespace

merklize_status merklize_xmss_keys(const uint8_t* seeds, size_t count, uint64_t first_epoch, uint64_t last_epoch,
                                   const merklize_run_options* options, merklize_xmss_key** keys) {
    return run("merklize_xmss_keys", [&](const Call& call) {
        const std::span<merklize_xmss_key*> out = call.results(keys, count, "keys");
        const Options run(call, options);
        const auto given = call.items(seeds, count, "seeds");
        std::vector<std::unique_ptr<merklize_xmss_key>> made;
        for (xmss::Key& key : xmss::keys(call.bytes(given.data(), xmss::seed_bytes * given.size(), "seeds"),
                                         first_epoch, last_epoch, run.get()))
            made.push_back(std::make_unique<merklize_xmss_key>(merklize_xmss_key{std::move(key)}));
        for (std::size_t i = 0; i < count; i++) out[i] = made[i].release();
        run.finish();
    });
}

void merklize_xmss_key_free(merklize_xmss_key* key) { delete key; }

merklize_status merklize_xmss_key_info(const merklize_xmss_key* key, uint8_t* public_key, uint64_t* first_epoch,
                                       uint64_t* last_epoch) {
    return run("merklize_xmss_key_info", [&](const Call& call) {
        const xmss::Key& value = call.need(key, "key").value;
        put_all(call, value.public_key(), public_key, "public_key");
        if (first_epoch != nullptr) *first_epoch = value.first_epoch();
        if (last_epoch != nullptr) *last_epoch = value.last_epoch();
    });
}

merklize_status merklize_xmss_key_path(const merklize_xmss_key* key, uint64_t epoch,
                                       const merklize_run_options* options, uint8_t* path) {
    return run("merklize_xmss_key_path", [&](const Call& call) {
        const Options run(call, options);
        const xmss::Key& value = call.need(key, "key").value;
        call.need(path, "path");
        put_all(call, value.path(epoch, run.get()), path, "path");
        run.finish();
    });
}

merklize_status merklize_xmss_key_sign(const merklize_xmss_key* key, uint64_t epoch, const uint8_t* message,
                                       size_t length, const merklize_run_options* options, uint8_t* signature) {
    return run("merklize_xmss_key_sign", [&](const Call& call) {
        const Options run(call, options);
        const xmss::Key& value = call.need(key, "key").value;
        call.need(signature, "signature");
        put_all(call, value.sign(epoch, call.bytes(message, length, "message"), run.get()), signature, "signature");
        run.finish();
    });
}

merklize_status merklize_xmss_verify(const uint8_t* public_key, size_t public_key_bytes, uint64_t epoch,
                                     const uint8_t* message, size_t message_bytes, const uint8_t* signature,
                                     size_t signature_bytes, int* valid) {
    return run("merklize_xmss_verify", [&](const Call& call) {
        int& out = call.result(valid, "valid");
        out = xmss::verify(call.bytes(public_key, public_key_bytes, "public_key"), epoch,
                           call.bytes(message, message_bytes, "message"),
                           call.bytes(signature, signature_bytes, "signature"))
                  ? 1
                  : 0;
    });
}

merklize_status merklize_xmss_verify_each(const uint8_t* public_keys, const uint64_t* epochs, const uint8_t* messages,
                                          const uint8_t* signatures, size_t count, const merklize_run_options* options,
                                          uint8_t* valid) {
    return run("merklize_xmss_verify_each", [&](const Call& call) {
        const Options run(call, options);
        const auto given = call.items(epochs, count, "epochs");
        const auto out = call.items(valid, count, "valid");
        const auto each = [&](const std::uint8_t* bytes, std::size_t size, const char* name) {
            if (count > SIZE_MAX / size) call.invalid(name, "must have fewer bytes than memory, got too many");
            return call.bytes(bytes, count * size, name);
        };
        xmss::verify_each(each(public_keys, xmss::public_key_bytes, "public_keys"), given,
                          each(messages, xmss::message_bytes, "messages"),
                          each(signatures, xmss::signature_bytes, "signatures"), out, run.get());
        run.finish();
    });
}
