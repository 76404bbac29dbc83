// `merklize manifest check`, `diff` and `show`. The rest of `merklize manifest` is the Python package's.
#include <algorithm>
#include <map>
#include <set>

#include "command/endings.hpp"
#include "command/line/commands.hpp"
#include "command/line/values.hpp"
#include "command/manifest/compare.hpp"
#include "command/manifest/reader.hpp"
#include "command/output/json.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "command/settings.hpp"

namespace merklize::command {
namespace {

using manifest::Difference;
using manifest::Differences;
using manifest::File;
using manifest::Found;
using manifest::Kind;
using manifest::Manifest;
using manifest::Shard;
using manifest::Source;
using manifest::Tensor;

// Which names a check is about: patterns of tensors, files or shards; none means all.
class Filter {
public:
    explicit Filter(std::vector<std::string> patterns)
        : patterns_(std::move(patterns)), unused_(patterns_.begin(), patterns_.end()) {}

    bool is_all() const noexcept { return patterns_.empty(); }
    bool operator()(const std::string& name, const std::string* shard = nullptr) {
        bool found = patterns_.empty();
        for (const std::string& pattern : patterns_) {
            if (!manifest::matches(name, pattern) && (shard == nullptr || !manifest::matches(*shard, pattern)))
                continue;
            unused_.erase(pattern);
            found = true;
        }
        return found;
    }
    // A pattern that nothing has: the check would pass though nothing was checked.
    void require_used() const {
        for (const std::string& pattern : patterns_) {
            if (unused_.contains(pattern))
                throw Failure{"nothing in the manifest is named " + manifest::in_quotes(pattern)};
        }
    }

private:
    std::vector<std::string> patterns_;
    std::set<std::string> unused_;
};

// What a manifest is of, if it was left where that is.
std::string beside(const std::string& file, const Manifest& known) {
    if (known.kind == Kind::tensors)
        throw UsageError{"the manifest is of tensors in memory: PATH must say what to check"};
    const std::size_t slash = file.rfind('/');
    const std::string folder = slash == file.npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
    return known.name ? manifest::joined(slash == file.npos ? "" : folder, *known.name) : folder;
}

class Check {
public:
    Check(const Manifest& known, const std::string& file, Filter& wanted, bool follow_links)
        : known_(known), file_(file), wanted_(wanted), follow_links_(follow_links) {
        for (const Tensor& tensor : known.tensors)
            if (wanted(tensor.name, tensor.shard ? &*tensor.shard : nullptr)) tensors_.push_back(tensor);
        for (const File& one : known.files)
            if (wanted(one.path)) files_.push_back(one);
        wanted.require_used();
    }

    // found  what was hashed
    Differences run(const std::string& given, const RunOptions& options, Found& found) {
        const std::string path =
            known_.name && manifest::is_folder(given) ? manifest::joined(given, *known_.name) : given;
        found = read(path, options);
        std::ranges::sort(found.tensors, {}, &Tensor::name);
        std::ranges::sort(found.shards, {}, &Shard::path);
        std::set<std::string> in_shards, failed;
        for (const Tensor& tensor : tensors_)
            if (tensor.shard) in_shards.insert(*tensor.shard);
        const auto is_wanted = [&](const std::string& name) { return wanted_.is_all() || in_shards.contains(name); };
        Differences out;
        for (const auto& [name, why] : found.failed) {
            failed.insert(name);
            const bool is_shard = std::ranges::binary_search(known_.shards, name, {}, &Shard::path);
            if (is_wanted(name) || wanted_(name))
                out.push_back({.kind = "unreadable", .what = is_shard ? "shard" : "file", .name = name, .detail = why});
        }
        // Tensors that may be in a file that could not be read are not said to be missing, too.
        std::vector<std::string> lost;
        for (const Tensor& tensor : tensors_) {
            const bool may_be = !failed.empty() && (!tensor.shard || failed.contains(*tensor.shard));
            if (may_be && !std::ranges::binary_search(found.tensors, tensor.name, {}, &Tensor::name))
                lost.push_back(tensor.name);
        }
        const std::vector<std::string> unread(failed.begin(), failed.end());
        compare(tensors_, found.tensors, known_.piece_size, lost, out);
        compare(files_, found.files, known_.piece_size, unread, out);
        const auto of_shards = [&](const std::vector<Shard>& all) {
            std::vector<Shard> some;
            std::ranges::copy_if(all, std::back_inserter(some), [&](const Shard& s) { return is_wanted(s.path); });
            return some;
        };
        const std::vector<Shard> shards = of_shards(known_.shards);
        if (!shards.empty()) compare(shards, of_shards(found.shards), known_.piece_size, unread, out);
        return out;
    }

private:
    Found read(const std::string& path, const RunOptions& options) {
        Source source;
        try {
            source = manifest::find_source(path, known_.ignore, follow_links_, file_);
        } catch (const Failure& failure) {
            if (known_.kind != Kind::file && known_.kind != Kind::index) throw;
            Found none;
            for (const Shard& shard : known_.shards) none.failed.emplace_back(shard.path, failure.text);
            return none;
        }
        if (known_.kind != Kind::folder) source.files.clear();  // it says nothing of other files
        // One file may have another name than it had.
        const bool is_renamed = known_.kind == Kind::file && source.kind == Kind::file && known_.name != source.name;
        const std::string name = known_.name.value_or("");
        const manifest::Wanted wanted = [&](const std::string& tensor, const std::string* shard) {
            return wanted_(tensor, is_renamed ? &name : shard);
        };
        Found found = manifest::read_files(source, known_.piece_size, follow_links_, wanted, options);
        if (is_renamed) {
            for (Tensor& tensor : found.tensors) tensor.shard = name;
            for (Shard& shard : found.shards) shard.path = name;
            for (auto& failed : found.failed) failed.first = name;
        }
        return found;
    }

    const Manifest& known_;
    const std::string& file_;
    Filter& wanted_;
    const bool follow_links_;
    std::vector<Tensor> tensors_{};
    std::vector<File> files_{};
};

void write_lines(const Differences& differences) {
    for (const Difference& one : differences) line(one.sentence());
}

void write_json(json::Object& fields, const Differences& differences) {
    json::Array list;
    for (const Difference& one : differences) list.put(one.json());
    fields.put("differences", list.done());
    line(json::indented(fields.done(), 1));
}

// The begin of a digest: all of it takes a line by itself.
std::string shown(const Digest& digest) { return digest.hex().substr(0, 16); }

void show_json(const Manifest& known) {
    json::Array tensors, files;
    for (const Tensor& one : known.tensors) {
        json::Array shape;
        for (const std::uint64_t extent : one.shape) shape.put(std::to_string(extent));
        json::Object fields;
        fields.text("name", one.name).text("dtype", one.dtype).put("shape", shape.done());
        tensors.put(fields.number("bytes", one.size).text("digest", one.digest.hex()).done());
    }
    for (const File& one : known.files) {
        json::Object fields;
        files.put(fields.text("name", one.path).number("bytes", one.size).text("digest", one.digest.hex()).done());
    }
    json::Object all;
    all.text("root", known.root.hex()).text("kind", name_of(known.kind)).number("bytes", known.bytes());
    line(json::indented(all.put("tensors", tensors.done()).put("files", files.done()).done(), 1));
}

}  // namespace

int run_manifest_check(const Arguments& arguments) {
    const std::string& file = arguments.words()[0];
    const Manifest known = manifest::load(file);
    Filter wanted(arguments.values("only"));
    RunOptions options = run_options(arguments);
    Check check(known, file, wanted, arguments.has("follow-links"));
    const std::string path = arguments.words().size() > 1 ? arguments.words()[1] : beside(file, known);
    Found found;
    Differences differences;
    {
        Bar bar("checking");
        options.progress = bar.part(1, wanted.is_all() ? known.bytes() : 0);
        differences = check.run(path, options, found);
    }
    const std::uint64_t checked = found.tensors.size() + found.files.size();
    if (arguments.has("json")) {
        json::Object fields;
        fields.number("ok", differences.empty()).number("checked", checked).number("bytes", found.bytes());
        fields.text("root", known.root.hex());
        write_json(fields, differences);
    } else {
        write_lines(differences);
    }
    if (!differences.empty()) {
        complain("WARNING: " + std::to_string(differences.size()) + " difference" +
                 (differences.size() > 1 ? "s" : "") + " from " + sentence(file));
        return 1;
    }
    if (!arguments.has("json")) {
        line("OK: " + std::to_string(checked) + " tensors and files" + (wanted.is_all() ? "" : " of it") + ", " +
             human_bytes(static_cast<double>(found.bytes())) + ", root " + known.root.hex());
    }
    return 0;
}

int run_manifest_diff(const Arguments& arguments) {
    const Manifest first = manifest::load(arguments.words()[0]), second = manifest::load(arguments.words()[1]);
    const std::uint64_t piece_size = first.piece_size == second.piece_size ? first.piece_size : 0;
    Differences differences;
    compare(first.tensors, second.tensors, piece_size, {}, differences);
    compare(first.files, second.files, piece_size, {}, differences);
    if (arguments.has("json")) {
        json::Object fields;
        fields.text("old", first.root.hex()).text("new", second.root.hex());
        write_json(fields, differences);
    } else {
        write_lines(differences);
    }
    return differences.empty() ? 0 : 1;
}

int run_manifest_show(const Arguments& arguments) {
    const Manifest known = manifest::load(arguments.words()[0]);
    if (arguments.has("json")) {
        show_json(known);
        return 0;
    }
    line("root  " + known.root.hex());
    line("of    " + std::string(name_of(known.kind)) + (known.name ? " " + sentence(*known.name) : ""));
    line("has   " + std::to_string(known.tensors.size()) + " tensors in " + std::to_string(known.shards.size()) +
         " shards, " + std::to_string(known.files.size()) + " other files, " +
         human_bytes(static_cast<double>(known.bytes())));
    for (const std::vector<std::string>& group : known.aliases) {
        std::string names;
        for (const std::string& name : group) names += (names.empty() ? "" : ", ") + sentence(name);
        line("share memory: " + names);
    }
    std::vector<std::vector<std::string>> rows = {{"digest", "dtype", "shape", "bytes", "name"}};
    for (const Tensor& tensor : known.tensors) {
        rows.push_back({shown(tensor.digest), tensor.dtype, manifest::in_brackets(tensor.shape),
                        std::to_string(tensor.size), sentence(tensor.name)});
    }
    for (const File& one : known.files)
        rows.push_back({shown(one.digest), "", "", std::to_string(one.size), sentence(one.path)});
    line(table_text(rows, "   r"));
    return 0;
}

}  // namespace merklize::command
