// `merklize verity`.
#include <algorithm>
#include <filesystem>
#include <random>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/settings.hpp"
#include "merklize/dm_verity.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

using Bytes = std::vector<std::byte>;

void fill_random(std::span<std::byte> out) {
    std::random_device random;
    for (std::byte& byte : out) byte = static_cast<std::byte>(random() & 0xff);
}

// The value of --uuid, or a random UUID of version 4.
std::array<std::byte, 16> uuid_of(const Arguments& arguments) {
    std::array<std::byte, 16> uuid;
    if (const auto text = arguments.value("uuid")) {
        std::string digits = *text;
        std::erase(digits, '-');
        const auto given = hex_bytes(digits);
        if (!given || given->size() != uuid.size())
            refuse_value("uuid", "must be 32 hexadecimal digits, with or without -");
        std::ranges::copy(*given, uuid.begin());
        return uuid;
    }
    fill_random(uuid);
    uuid[6] = (uuid[6] & std::byte{0x0f}) | std::byte{0x40};
    uuid[8] = (uuid[8] & std::byte{0x3f}) | std::byte{0x80};
    return uuid;
}

std::string uuid_text(std::span<const std::byte> uuid) {
    std::string text = to_hex(uuid);
    for (const std::size_t at : {20, 16, 12, 8}) text.insert(at, "-");
    return text;
}

// The value of --salt: hexadecimal digits, or - for no salt.
std::optional<Bytes> salt_of(const Arguments& arguments) {
    const auto text = arguments.value("salt");
    if (!text) return {};
    if (*text == "-") return Bytes{};
    auto salt = hex_bytes(*text);
    if (!salt) refuse_value("salt", "must be pairs of hexadecimal digits, or - for no salt");
    return salt;
}

std::uint32_t block_size(const Arguments& arguments, std::string_view option, std::uint32_t otherwise) {
    const std::uint64_t bytes = size_value(arguments, option).value_or(otherwise);
    if (bytes > UINT32_MAX)
        refuse_value(option, "must be a power of two from 512 to 524288, got " + std::to_string(bytes));
    return static_cast<std::uint32_t>(bytes);
}

// Options that fix how the data is hashed; `how` has the fields without an option.
DmVerity how_of(const Arguments& arguments, DmVerity how = {}) {
    how.algorithm = named_value(arguments, "hash", dm_verity_algorithm_from_name).value_or(how.algorithm);
    if (const auto format = count_value(arguments, "format")) {
        if (*format > 1) refuse_value("format", "must be 0 or 1, got " + std::to_string(*format));
        how.salt_after = *format == 0;
    }
    how.data_block_size = block_size(arguments, "data-block-size", how.data_block_size);
    how.hash_block_size = block_size(arguments, "hash-block-size", how.hash_block_size);
    if (const auto blocks = count_value(arguments, "data-blocks", 1)) how.data_blocks = blocks;
    if (auto salt = salt_of(arguments)) how.salt = std::move(*salt);
    return how;
}

DmVerityArea area_of(const Arguments& arguments) {
    return {size_value(arguments, "hash-offset").value_or(0), !arguments.has("no-superblock"), {}};
}

void put_facts(Call& call, const Arguments& arguments, const DmVerityFacts& facts, bool has_uuid,
               std::span<const std::byte> root) {
    const DmVerity& how = facts.how;
    const std::string algorithm(dm_verity_algorithm_name(how.algorithm));
    if (arguments.has("json")) {
        json::Object fields;
        if (!root.empty()) fields.text("root", to_hex(root));
        fields.text("hash", algorithm).number("format", how.salt_after ? 0 : 1).text("salt", to_hex(how.salt));
        fields.number("data_blocks", how.data_blocks.value_or(0)).number("data_block_size", how.data_block_size);
        fields.number("hash_blocks", facts.hash_blocks).number("hash_block_size", how.hash_block_size);
        if (has_uuid) fields.text("uuid", uuid_text(facts.uuid));
        call.line(fields.done());
        return;
    }
    const auto line = [&](std::string name, const std::string& value) {
        name.resize(17, ' ');
        call.line(name + value);
    };
    if (has_uuid) line("UUID", uuid_text(facts.uuid));
    line("format", how.salt_after ? "0" : "1");
    line("data blocks", std::to_string(how.data_blocks.value_or(0)));
    line("data block size", std::to_string(how.data_block_size));
    line("hash blocks", std::to_string(facts.hash_blocks));
    line("hash block size", std::to_string(how.hash_block_size));
    line("hash", algorithm);
    line("salt", how.salt.empty() ? "-" : to_hex(how.salt));
    if (!root.empty()) line("root hash", to_hex(root));
}

// The first wrong blocks, as ranges: "7, 9-12, ...".
std::string block_list(const std::vector<std::uint64_t>& blocks, std::uint64_t count) {
    std::string text;
    for (std::size_t i = 0; i < blocks.size();) {
        std::size_t end = i + 1;
        while (end < blocks.size() && blocks[end] == blocks[end - 1] + 1) end++;
        text += (text.empty() ? "" : ", ") + std::to_string(blocks[i]);
        if (end - i > 1) text += "-" + std::to_string(blocks[end - 1]);
        i = end;
    }
    return text + (count > blocks.size() ? ", ..." : "");
}

void report_wrong(Call& call, const std::string& what, std::uint64_t count, const std::vector<std::uint64_t>& blocks) {
    if (count == 0) return;
    call.line("NOT valid: " + human_count(count) + (count == 1 ? " block of " : " blocks of ") + what +
              (count == 1 ? " is wrong: " : " are wrong: ") + block_list(blocks, count));
}

std::string numbers_json(const std::vector<std::uint64_t>& numbers) {
    json::Array all;
    for (const std::uint64_t number : numbers) all.put(std::to_string(number));
    return all.done();
}

// What the options say of a hash area; beside a superblock, its other fields.
DmVerity expected_of(const Arguments& arguments, const std::string& hashes, const DmVerityArea& area) {
    DmVerity how = how_of(arguments);  // first, so that a wrong option is found before a file is read
    if (!area.has_superblock) return how;
    how = how_of(arguments, dm_verity_dump(hashes, area.offset).how);
    if (!arguments.has("data-blocks")) how.data_blocks.reset();
    return how;
}

// "300 of 300 blocks", and what lies behind them.
std::string checked_text(const DmVerityReport& found, std::uint64_t block_bytes) {
    const std::uint64_t there = found.checked_blocks + found.unchecked_bytes / block_bytes;
    std::string text =
        human_count(found.checked_blocks) + " of " + human_count(there) + (there == 1 ? " block" : " blocks");
    if (found.unchecked_bytes != 0)
        text += "; " + human_count(found.unchecked_bytes) + " bytes behind them are not checked";
    return text;
}

int run_verity_format(Call& call, const Arguments& arguments) {
    const std::string &data = arguments.words()[0], &hashes = arguments.words()[1];
    DmVerity how = how_of(arguments);
    if (!arguments.has("salt")) fill_random((how.salt.resize(32), how.salt));
    DmVerityArea area = area_of(arguments);
    if (area.has_superblock) {
        area.uuid = uuid_of(arguments);
    } else if (arguments.has("uuid")) {
        throw UsageError{"--uuid is of a superblock: not with --no-superblock"};
    }
    RunOptions options = run_options(call, arguments);
    DmVerityFacts facts;
    Bytes root;
    {
        Bar bar(call, "hashing");
        options.progress = bar.part_of(data);
        root = dm_verity_format(data, hashes, how, area, &facts, options);
    }
    call.has_made(sentence(hashes) + " has been written");
    put_facts(call, arguments, facts, area.has_superblock, root);
    return 0;
}

int run_verity_verify(Call& call, const Arguments& arguments) {
    const std::string &data = arguments.words()[0], &hashes = arguments.words()[1];
    const auto root = hex_bytes(arguments.words()[2]);
    if (!root || (root->size() != 32 && root->size() != 64))
        throw UsageError{"ROOT must be 64 hexadecimal digits, or 128 of sha512"};
    const DmVerityArea area = area_of(arguments);
    RunOptions options = run_options(call, arguments);
    const DmVerity how = expected_of(arguments, hashes, area);
    DmVerityReport found;
    {
        Bar bar(call, "verifying");
        options.progress = bar.part_of(data);
        found = dm_verity_verify(data, hashes, *root, how, area, options);
    }
    if (arguments.has("json")) {
        call.line(json::Object()
                      .number("valid", static_cast<bool>(found))
                      .number("wrong_data_blocks", found.wrong_data_blocks)
                      .put("data_blocks", numbers_json(found.data_blocks))
                      .number("wrong_hash_blocks", found.wrong_hash_blocks)
                      .put("hash_blocks", numbers_json(found.hash_blocks))
                      .number("checked_blocks", found.checked_blocks)
                      .number("unchecked_bytes", found.unchecked_bytes)
                      .done());
    } else if (found) {
        call.line("valid: " + checked_text(found, how.data_block_size));
    } else {
        report_wrong(call, "the tree", found.wrong_hash_blocks, found.hash_blocks);
        report_wrong(call, "the data", found.wrong_data_blocks, found.data_blocks);
    }
    return found ? 0 : 1;
}

int run_verity_dump(Call& call, const Arguments& arguments) {
    const auto facts = dm_verity_dump(arguments.words()[0], size_value(arguments, "hash-offset").value_or(0));
    put_facts(call, arguments, facts, true, {});
    return 0;
}

constexpr Option verity_hash{"hash", 0, "NAME", "sha256 (the default) or sha512.", {}, "sha256, sha512"};
constexpr Option verity_type{
    "format", 0, "NUM", "1 (the default), or 0, Chrome OS's: the salt comes after a block.", {}, "1, 0"};
constexpr Option data_block{"data-block-size", 0, "SIZE", "Bytes of a block of DATA (4096)."};
constexpr Option hash_block{"hash-block-size", 0, "SIZE", "Bytes of a block of the tree (4096)."};
constexpr Option data_blocks{"data-blocks", 0, "NUM", "Only the first NUM blocks of DATA; by default all."};
constexpr Option hash_offset{"hash-offset", 0, "SIZE", "Where the hash area begins in HASHES (0)."};
constexpr Option no_superblock{"no-superblock", 0, {}, "The hash area has no superblock, which states these values."};
constexpr Option new_salt{"salt", 0, "HEX", "At most 256 bytes; - is no salt. By default 32 random bytes."};
constexpr Option known_salt{"salt", 0, "HEX", "The salt of the blocks; - is no salt."};
constexpr Option new_uuid{"uuid", 0, "UUID", "The superblock's UUID; by default random."};
constexpr Option verity_format_options[] = {
    verity_hash,   verity_type, data_block,      hash_block,       data_blocks,          new_salt,      hash_offset,
    no_superblock, new_uuid,    options::device, options::threads, options::threads_too, options::json, options::help,
};
constexpr Option verity_verify_options[] = {
    hash_offset, no_superblock,   verity_hash,      verity_type,          data_block,    hash_block,    data_blocks,
    known_salt,  options::device, options::threads, options::threads_too, options::json, options::help,
};
constexpr Option verity_dump_options[] = {hash_offset, options::json, options::help};

}  // namespace

extern constinit const Command verity_format_command{
    .name = "format",
    .arguments = "DATA HASHES",
    .summary = "Hash a disk or a file, and write its tree.",
    .help =
        "Hash DATA, a file or block device, write the tree to HASHES and print the root hash. DATA and "
        "HASHES may be one file, with a --hash-offset behind the --data-blocks.\n\n"
        "A new file takes the place of HASHES when it is whole. A block device, DATA itself, or a file with "
        "--hash-offset is written in place, the superblock last.",
    .options = verity_format_options,
    .run = run_verity_format,
};

extern constinit const Command verity_verify_command{
    .name = "verify",
    .arguments = "DATA HASHES ROOT",
    .summary = "Name the blocks that differ from what a root hash says.",
    .help =
        "Hash DATA again and compare every block of the tree in HASHES with the level above it, up to ROOT. Exit code "
        "0: all is as the root says; 1: something is not. The wrong blocks are named (at most 1000).\n\n"
        "A superblock is as untrusted as DATA. Give --data-blocks, --salt, the sizes, --hash and --format as you have "
        "them from the source of ROOT: a superblock that states other values is an error. Without --data-blocks all of "
        "DATA must be under the tree, up to a hash area behind it.",
    .options = verity_verify_options,
    .run = run_verity_verify,
};

extern constinit const Command verity_dump_command{
    .name = "dump",
    .arguments = "HASHES",
    .summary = "Show what a superblock states.",
    .help = "Show what the superblock in HASHES states. Nothing is verified.",
    .options = verity_dump_options,
    .run = run_verity_dump,
};

}  // namespace merklize::command
