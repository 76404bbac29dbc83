// `merklize xmss`.
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "command/endings.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/settings.hpp"
#include "command/urls.hpp"
#include "hashes/wipe.hpp"
#include "merklize/xmss.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

// Reads the seeds on standard input.
void read_seeds(Call& call, runtime::WipedBytes& seeds) {
    constexpr std::size_t most = xmss::seed_bytes << 20;
    const auto require = [](bool is_good, const std::string& found) {
        if (!is_good)
            throw Failure{"the seeds on standard input must be 32 bytes each, one or more; there are " + found};
    };
    runtime::WipedBytes block(4096);
    seeds.reserve(most + block.size());  // so that no growth leaves a copy behind
    while (const std::size_t count = read_standard_input(call, block)) {
        seeds.insert(seeds.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
        require(seeds.size() <= most, "more than " + human_count(most / xmss::seed_bytes) + " seeds");
    }
    const std::size_t size = seeds.size();
    // 64 digits would count as two seeds, whose keys are of no use.
    const auto is_of_text = [](std::byte byte) {
        const auto c = static_cast<unsigned char>(byte);
        return std::isxdigit(c) != 0 || c == '\n' || c == '\r' || c == 'x' || c == 'X';
    };
    require(size == 0 || !std::ranges::all_of(seeds, is_of_text),
            "hexadecimal digits: `xxd -r -p` makes bytes of them");
    require(size != 0 && size % xmss::seed_bytes == 0, human_count(size) + " bytes");
}

int run_xmss_key(Call& call, const Arguments& arguments) {
    const std::uint64_t first = required_count(arguments, "first-epoch"),
                        last = required_count(arguments, "last-epoch");
    if (first > last || last >> xmss::height != 0)
        throw UsageError{"the epochs must be in order and below 2^32, got " + std::to_string(first) + " to " +
                         std::to_string(last)};
    RunOptions options = run_options(call, arguments);
    std::vector<xmss::Key> keys;
    {
        runtime::WipedBytes seeds;
        read_seeds(call, seeds);
        Bar bar(call, "making keys");
        options.progress = bar.part();
        keys = xmss::keys(seeds, first, last, options);
    }
    for (const xmss::Key& key : keys) {
        const std::string public_key = to_hex(key.public_key());
        if (!arguments.has("json")) {
            call.line(public_key);
            continue;
        }
        json::Object fields;
        fields.text("public_key", public_key).number("first_epoch", first);
        call.line(fields.number("last_epoch", last).done());
    }
    return 0;
}

// The bytes of a file with a signature, which may be written as hexadecimal digits.
std::vector<std::byte> read_signature(Call& call, const std::string& path) {
    constexpr std::size_t most_digits = 2 * xmss::signature_bytes + 2,
                          most_ends = 2;  // with 0x and the end of the line
    std::vector<std::byte> data = read_all(call, *open_input(call, path), most_digits + most_ends);
    if (data.size() == xmss::signature_bytes) return data;
    std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    auto bytes = hex_bytes(text);
    return bytes && bytes->size() == xmss::signature_bytes ? std::move(*bytes) : std::move(data);
}

int run_xmss_verify(Call& call, const Arguments& arguments) {
    const Digest public_key = required_digest(arguments, "public-key"), message = required_digest(arguments, "message");
    const std::uint64_t epoch = required_count(arguments, "epoch");
    const std::vector<std::byte> signature = read_signature(call, arguments.words()[0]);
    const bool valid = xmss::verify(public_key.bytes, epoch, message.bytes, signature);
    if (arguments.has("json")) {
        call.line(json::Object().number("valid", valid).done());
    } else if (valid) {
        call.line("valid: epoch " + std::to_string(epoch));
    } else if (signature.size() != xmss::signature_bytes) {
        call.line("NOT valid: a signature has 1208 bytes, or 2416 hexadecimal digits");
    } else {
        call.line("NOT valid: none of this key, epoch and message");
    }
    return valid ? 0 : 1;
}

constexpr Option xmss_key_options[] = {
    {"first-epoch", 0, "NUM", "The first epoch of the keys; must be given."},
    {"last-epoch", 0, "NUM", "The last epoch of the keys, at most 4294967295; must be given."},
    options::device,
    options::threads,
    options::threads_too,
    options::json,
    options::help,
};
constexpr Option xmss_verify_options[] = {
    {"public-key", 0, "HEX", "The key of the signer; must be given."},
    {"epoch", 0, "NUM", "The epoch that was signed at; must be given."},
    {"message", 0, "HEX", "The 32 bytes that were signed; must be given."},
    options::json,
    options::help,
};

}  // namespace

extern constinit const Command xmss_key_command{
    .name = "key",
    .summary = "Print the public keys of seeds.",
    .help =
        "Print the public key of each seed on standard input, one on a line. A seed is 32 random bytes, not their "
        "hexadecimal digits; the seeds follow each other without anything between them.\n\n"
        "The epochs are part of a key: other epochs give another public key.",
    .options = xmss_key_options,
    .run = run_xmss_key,
};

extern constinit const Command xmss_verify_command{
    .name = "verify",
    .arguments = "SIGNATURE",
    .summary = "Verify a signature.",
    .help =
        "Verify the signature in a file (1208 bytes, or their hexadecimal digits; - is standard input). Exit code 0: "
        "valid; 1: not.",
    .options = xmss_verify_options,
    .run = run_xmss_verify,
    .takes_urls = true,
};

}  // namespace merklize::command
