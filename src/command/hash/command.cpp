// `merklize hash`: b3sum's flags and output, with all files at once, and --recursive, --json and --device on top.
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "command/endings.hpp"
#include "command/hash/check.hpp"
#include "command/hash/check_line.hpp"
#include "command/hash/in_order.hpp"
#include "command/hash/walk.hpp"
#include "command/hash/writers.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "hashes/merge_one.hpp"
#include "hashes/message.hpp"
#include "host/invalid.hpp"

namespace merklize::command {
namespace {

bool is_folder(const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// The inputs in order, with folders replaced by the files in them.
class Inputs {
public:
    Inputs(std::vector<std::string> files, bool recursive) : files_(std::move(files)), recursive_(recursive) {
        if (files_.empty()) files_.emplace_back(recursive ? "." : standard_input_name);
    }

    std::size_t count() const noexcept { return recursive_ ? 0 : files_.size(); }

    bool next(HashInput& input) {
        for (;;) {
            if (walk_ && walk_->next(input.path, input.error)) return true;
            walk_.reset();
            if (at_ == files_.size()) return false;
            std::string& file = files_[at_++];
            if (!recursive_ || file == standard_input_name || !is_folder(file)) {
                input.path = std::move(file);
                return true;
            }
            walk_.emplace(std::move(file));
        }
    }

private:
    std::vector<std::string> files_;
    const bool recursive_;
    std::size_t at_ = 0;
    std::optional<Walk> walk_{};
};

void require(bool good, const char* text) {
    if (!good) throw UsageError{text};
}

void require_usage(const Arguments& a, const HashJob& job) {
    const auto [length, seek] = std::pair(job.length, job.seek);
    const auto has = [&](const char* option) { return a.has(option); };
    const auto any = [&](auto... options) { return (has(options) || ...); };
    require(!has("keyed") || !has("derive-key"), "--keyed and --derive-key exclude each other");
    const bool is_short = runtime::has_short_digests(job.hash);
    if (job.hash != Hash::blake3 &&
        (has("derive-key") || seek != 0 || has("policy") || (!is_short && (has("keyed") || length != Digest::size)))) {
        throw UsageError{"--hash " + std::string(traits(job.hash).name) + " excludes " +
                         (is_short ? "" : "--keyed, --length, ") + "--derive-key, --seek and --policy"};
    }
    if (has("tag") && tag_of(job.hash).empty())
        throw UsageError{"--tag: no program has a name for " + std::string(traits(job.hash).name) + " in such lines"};
    if (is_short && (length == 0 || length > Digest::size))
        throw UsageError{"--hash " + std::string(traits(job.hash).name) + ": --length must be 1 to 32, got " +
                         std::to_string(length)};
    const bool is_plain = length == Digest::size && seek == 0;
    require(!has("xet") || (is_plain && !any("hash", "keyed", "derive-key", "policy")),
            "--xet excludes --hash, --keyed, --derive-key, --length, --seek and --policy");
    require(!has("xet") || !any("raw", "tag", "json", "timings"), "--xet excludes --raw, --tag, --json, --timings");
    require(!has("keyed") || !a.words().empty(), "--keyed needs a FILE: standard input holds the key");
    require_with(a, "check", {"quiet", "status", "warn", "strict", "ignore-missing"});
    if (has("json")) refuse_unused(a, "--json", {"quiet", "status", "warn"});
    require(!has("check") || !any("raw", "tag", "no-names", "recursive"),
            "--check excludes --raw, --tag, --no-names and --recursive");
    if (has("check") && (length < 16 || length > most_checked_length))
        throw UsageError{"--check needs a --length of 16 to " + std::to_string(most_checked_length) + ", got " +
                         std::to_string(length) + (length < 16 ? ": shorter digests prove little" : "")};
    require(!has("json") || !any("raw", "tag", "no-names"), "--json excludes --raw, --tag and --no-names");
    require(!has("raw") || (a.words().size() <= 1 && !has("recursive")), "--raw takes only one FILE");
    require(length == 0 || seek <= UINT64_MAX - (length - 1),
            "--seek and --length reach past the 2^64 bytes of output");
}

void report(Call& call, const HashResult& result) {
    if (result.error.empty()) return;
    const char* hint = result.is_folder ? " (--recursive takes the files in it)" : "";
    call.complain(sentence(result.path) + ": " + result.error + hint);
}

int run_hash(Call& call, const Arguments& arguments) {
    HashJob job;
    const auto message_hash = [](const std::string& name) {
        const Hash hash = runtime::message_hash_from_name(name);
        const PublicCall entry("hash");
        runtime::require_message(hash);
        return hash;
    };
    job.hash = named_value(arguments, "hash", message_hash).value_or(Hash::blake3);
    job.length = count_value(arguments, "length").value_or(Digest::size);
    job.seek = count_value(arguments, "seek").value_or(0);
    require_usage(arguments, job);
    job.options = run_options(call, arguments);
    job.is_xet = arguments.has("xet");
    job.has_key = arguments.has("keyed");
    job.mode = mode_of(call, arguments, [&] { return job.hash; }).value_or(Mode());
    job.timed = arguments.has("timings");
    const bool as_json = arguments.has("json");
    std::uint64_t failed = 0;
    if (arguments.has("check")) {
        std::vector<std::string> lists = arguments.words();
        if (lists.empty()) lists.emplace_back(standard_input_name);
        const CheckRules rules{.is_quiet = arguments.has("quiet"),
                               .is_silent = arguments.has("status"),
                               .warns = arguments.has("warn"),
                               .is_strict = arguments.has("strict"),
                               .ignores_missing = arguments.has("ignore-missing"),
                               .as_json = as_json};
        failed = check_lists(call, lists, job, rules) ? 0 : 1;
    } else {
        const bool raw = arguments.has("raw"), names = !arguments.has("no-names");
        const std::string_view tag = arguments.has("tag") ? tag_of(job.hash) : "";
        Inputs inputs(arguments.words(), arguments.has("recursive"));
        Bar bar(call, "hashing", inputs.count());
        JsonList list(call);
        std::uint64_t n_unlisted = 0;
        std::string unlisted;
        hash_in_order(
            call, job, [&](HashInput& input) { return inputs.next(input); },
            [&](const HashResult& result) {
                if (!result.error.empty()) failed++;
                report(call, result);
                if (as_json) {
                    list.put(result, job);
                } else if (raw) {
                    write_raw(call, result, job);
                } else {
                    write_line(call, result, job, names, tag);
                    if (names && result.error.empty() && !can_be_listed(result, job) && n_unlisted++ == 0)
                        unlisted = result.path;
                }
            },
            bar);
        if (as_json) list.finish(job);
        if (n_unlisted != 0) {
            call.complain("WARNING: " + std::to_string(n_unlisted) + (n_unlisted == 1 ? " line" : " lines") +
                          " cannot be checked: no list of BLAKE3 digests can have such a name, which is not UTF-8 or "
                          "has U+FFFD: " +
                          sentence(unlisted));
        }
    }
    if (job.timed && !as_json) report_timings(call, job.times);
    return failed == 0 ? 0 : 1;
}

constexpr Option hash_options[] = {
    {"hash",
     0,
     "NAME",
     "blake3, blake2s, sha256, sha256d, sha3_256, keccak256.",
     {},
     "blake3, blake2s, sha256, sha256d, sha3_256, keccak256"},
    {"xet", 0, {}, "The Hugging Face hub's hash of the file (xet)."},
    options::keyed,
    {"derive-key", 0, "CONTEXT", "Key derivation; the files are key material."},
    {"length", 'l', "LEN", "Output bytes (32)."},
    {"seek", 0, "SEEK", "Skip SEEK output bytes."},
    options::threads,
    options::threads_too,
    {"no-mmap", 0},  // b3sum has it; mappings are safe here (host/mapped_file.hpp)
    {"no-names", 0, {}, "Leave out the file names."},
    {"raw", 0, {}, "Write bytes instead of hexadecimal; for one FILE."},
    {"tag", 0, {}, "BSD style: BLAKE3 (FILE) = HASH, SHA256 (FILE) = HASH."},
    {"check", 'c', {}, "Read digests and names from the FILEs, and check them."},
    {"quiet", 0, {}, "With --check: do not print OK for each file."},
    {"status", 0, {}, "With --check: print nothing of the files; the exit code tells."},
    {"ignore-missing", 0, {}, "With --check: leave out files that do not exist."},
    {"strict", 0, {}, "With --check: improper lines are failures. In lists of BLAKE3 they always are."},
    {"warn", 'w', {}, "With --check: name every improper line, not only the first five."},
    {"recursive", 'r', {}, "Hash the files in folders; does not follow links to folders."},
    options::json,
    options::device,
    options::policy,
    options::timings,
    options::version,
    options::help,
};

}  // namespace

extern constinit const Command hash_command{
    .name = "hash",
    .arguments = "[FILE]...",
    .summary = "BLAKE3 digests of files, and checking them (as b3sum).",
    .help =
        "Print the digest of every FILE (BLAKE3 without --hash), or with --check verify lists of digests. FILE may be "
        "a "
        "URL: s3://..., gs://..., https://...\n\n"
        "With no FILE, or when FILE is -, read standard input. Flags and output are b3sum's; each reads the other's "
        "lists. With --hash sha256 they are those of sha256sum.",
    .options = hash_options,
    .run = run_hash,
    .takes_urls = true,
};

}  // namespace merklize::command
