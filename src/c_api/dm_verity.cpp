// dm-verity.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::DmVerity;
using merklize::DmVerityAlgorithm;
using merklize::DmVerityArea;
using merklize::DmVerityFacts;

namespace {

static_assert(MERKLIZE_DM_VERITY_SHA256 == int(DmVerityAlgorithm::sha256) &&
              MERKLIZE_DM_VERITY_SHA512 == int(DmVerityAlgorithm::sha512));

DmVerity verity_form(const Call& call, const merklize_dm_verity_form* form) {
    DmVerity how;
    if (form == nullptr) return how;
    if (form->algorithm > MERKLIZE_DM_VERITY_SHA512)
        call.invalid("form->algorithm", "must be 0 or 1, got " + std::to_string(form->algorithm));
    how.algorithm = static_cast<DmVerityAlgorithm>(form->algorithm);
    how.salt_after = call.flag(form->salt_after, "form->salt_after");
    if (form->data_block_size != 0) how.data_block_size = form->data_block_size;
    if (form->hash_block_size != 0) how.hash_block_size = form->hash_block_size;
    if (form->data_blocks != 0) how.data_blocks = form->data_blocks;
    const auto salt = call.bytes(static_cast<const void*>(form->salt), form->salt_bytes, "form->salt");
    how.salt.assign(salt.begin(), salt.end());
    return how;
}

DmVerityArea verity_area(const Call& call, const merklize_dm_verity_area* area) {
    DmVerityArea made;
    if (area == nullptr) return made;
    made.offset = area->offset;
    made.has_superblock = !call.flag(area->without_superblock, "area->without_superblock");
    std::memcpy(made.uuid.data(), area->uuid, sizeof area->uuid);
    return made;
}

void put_verity_facts(const DmVerityFacts& facts, merklize_dm_verity_facts& out) {
    const DmVerity& how = facts.how;
    out = {.algorithm = static_cast<merklize_dm_verity_algorithm>(how.algorithm),
           .salt_after = how.salt_after ? 1u : 0u,
           .data_block_size = how.data_block_size,
           .hash_block_size = how.hash_block_size,
           .data_blocks = how.data_blocks.value_or(0),
           .salt = {},
           .salt_bytes = how.salt.size(),
           .uuid = {},
           .hash_blocks = facts.hash_blocks,
           .end = facts.end};
    std::ranges::copy(std::as_bytes(std::span(how.salt)), reinterpret_cast<std::byte*>(out.salt));
    std::memcpy(out.uuid, facts.uuid.data(), sizeof out.uuid);
}

void put_verity_root(std::span<const std::byte> root, merklize_dm_verity_root& out) {
    out = {};
    std::ranges::copy(root, reinterpret_cast<std::byte*>(out.bytes));
    out.length = root.size();
}

}  // namespace

merklize_status merklize_dm_verity(const void* data, size_t bytes, const merklize_dm_verity_form* form,
                                   merklize_dm_verity_root* root, const merklize_run_options* options) {
    return run("merklize_dm_verity", [&](const Call& call) {
        merklize_dm_verity_root& out = call.need(root, "root");
        const Options run(call, options);
        put_verity_root(merklize::dm_verity(call.bytes(data, bytes, "data"), verity_form(call, form), run.get()), out);
    });
}

merklize_status merklize_dm_verity_file(const char* path, const merklize_dm_verity_form* form,
                                        merklize_dm_verity_root* root, const merklize_run_options* options) {
    return run("merklize_dm_verity_file", [&](const Call& call) {
        merklize_dm_verity_root& out = call.need(root, "root");
        const Options run(call, options);
        put_verity_root(merklize::dm_verity_file(call.path(path, "path"), verity_form(call, form), run.get()), out);
    });
}

merklize_status merklize_dm_verity_format(const char* data, const char* hashes, const merklize_dm_verity_form* form,
                                          const merklize_dm_verity_area* area, merklize_dm_verity_root* root,
                                          merklize_dm_verity_facts* facts, const merklize_run_options* options) {
    return run("merklize_dm_verity_format", [&](const Call& call) {
        merklize_dm_verity_root& out = call.need(root, "root");
        const Options run(call, options);
        DmVerityFacts written;
        put_verity_root(
            merklize::dm_verity_format(call.path(data, "data"), call.path(hashes, "hashes"), verity_form(call, form),
                                       verity_area(call, area), &written, run.get()),
            out);
        if (facts != nullptr) put_verity_facts(written, *facts);
    });
}

merklize_status merklize_dm_verity_dump(const char* hashes, uint64_t offset, merklize_dm_verity_facts* facts) {
    return run("merklize_dm_verity_dump", [&](const Call& call) {
        merklize_dm_verity_facts& out = call.need(facts, "facts");
        put_verity_facts(merklize::dm_verity_dump(call.path(hashes, "hashes"), offset), out);
    });
}

merklize_status merklize_dm_verity_verify(const char* data, const char* hashes, const uint8_t* root, size_t root_bytes,
                                          const merklize_dm_verity_form* form, const merklize_dm_verity_area* area,
                                          merklize_dm_verity_fault* faults, size_t capacity, size_t* written,
                                          uint64_t* count, const merklize_run_options* options) {
    return run("merklize_dm_verity_verify", [&](const Call& call) {
        uint64_t& wrong = call.need(count, "count");
        const std::span<merklize_dm_verity_fault> places = call.items(faults, capacity, "faults");
        const auto trusted = call.bytes(static_cast<const void*>(root), root_bytes, "root");
        const Options run(call, options);
        std::optional<DmVerity> how;
        if (form != nullptr) how = verity_form(call, form);
        const merklize::DmVerityReport found = merklize::dm_verity_verify(
            call.path(data, "data"), call.path(hashes, "hashes"), trusted, how, verity_area(call, area), run.get());
        std::size_t n = 0;
        const auto put = [&](std::span<const std::uint64_t> blocks, uint32_t in_hashes) {
            for (std::size_t i = 0; i < blocks.size() && n < places.size(); i++) places[n++] = {blocks[i], in_hashes};
        };
        put(found.data_blocks, 0);
        put(found.hash_blocks, 1);
        if (written != nullptr) *written = n;
        wrong = found.wrong_data_blocks + found.wrong_hash_blocks;
    });
}
