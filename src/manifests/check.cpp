#include <algorithm>
#include <iterator>
#include <set>

#include "jobs/cancelling.hpp"
#include "manifests/compare.hpp"
#include "manifests/create.hpp"
#include "manifests/disk.hpp"
#include "manifests/names.hpp"
#include "manifests/reader.hpp"

namespace merklize::inline v0::manifests {
namespace {

// The names that a check covers: patterns of tensors, files or shards. No pattern means all.
class Filter {
public:
    explicit Filter(const std::vector<std::string>& patterns)
        : patterns_(patterns), unused_(patterns.begin(), patterns.end()) {}

    bool is_all() const noexcept { return patterns_.empty(); }
    bool operator()(const std::string& name, const std::string* shard = nullptr) {
        bool found = patterns_.empty();
        for (const std::string& pattern : patterns_) {
            if (!matches(name, pattern) && (shard == nullptr || !matches(*shard, pattern))) continue;
            unused_.erase(pattern);
            found = true;
        }
        return found;
    }
    // An unmatched pattern is an error, because the check would pass although nothing was checked.
    void require_used() const {
        for (const std::string& pattern : patterns_)
            if (unused_.contains(pattern)) invalid("nothing in the manifest is named " + in_quotes(pattern));
    }

private:
    const std::vector<std::string>& patterns_;
    std::set<std::string> unused_;
};

class Check {
public:
    Check(const Manifest& known, const std::vector<std::string>& only) : known_(known), wanted_(only) {
        for (const Tensor& tensor : known.tensors)
            if (wanted_(tensor.name, tensor.shard ? &*tensor.shard : nullptr)) tensors_.push_back(tensor);
        for (const File& file : known.files)
            if (wanted_(file.path)) files_.push_back(file);
        wanted_.require_used();
    }

    const std::vector<Tensor>& tensors() const noexcept { return tensors_; }

    Report of_files(const std::function<Place()>& open, const RunOptions& run) {
        const Found found = read(open, run);
        std::set<std::string> in_shards;
        for (const Tensor& tensor : tensors_)
            if (tensor.shard) in_shards.insert(*tensor.shard);
        const auto is_wanted = [&](const std::string& name) { return wanted_.is_all() || in_shards.contains(name); };
        Report report{.checked = found.tensors.size() + found.files.size()};
        for (const Tensor& tensor : found.tensors) report.bytes += tensor.size;
        for (const File& file : found.files) report.bytes += file.size;
        Differences& out = report.differences;
        std::vector<std::string> failed;
        for (const auto& [name, why] : found.failed) {
            failed.push_back(name);
            const bool is_shard = std::ranges::binary_search(known_.shards, name, {}, &Shard::path);
            if (is_wanted(name) || wanted_(name))
                out.push_back({.kind = "unreadable", .what = is_shard ? "shard" : "file", .name = name, .detail = why});
        }
        // Tensors that may be in an unreadable file are not reported as missing, too.
        std::vector<std::string> lost;
        for (const Tensor& tensor : tensors_) {
            const bool may_be =
                !failed.empty() && (!tensor.shard || std::ranges::find(failed, *tensor.shard) != failed.end());
            if (may_be && !std::ranges::binary_search(found.tensors, tensor.name, {}, &Tensor::name))
                lost.push_back(tensor.name);
        }
        std::ranges::copy_if(found.missing, std::back_inserter(report.missing), [&](const std::string& name) {
            return !std::ranges::binary_search(known_.shards, name, {}, &Shard::path) &&
                   !std::ranges::binary_search(known_.files, name, {}, &File::path);
        });
        compare(tensors_, found.tensors, known_.piece_size, lost, out);
        compare(files_, found.files, known_.piece_size, failed, out);
        const auto of_shards = [&](const std::vector<Shard>& all) {
            std::vector<Shard> some;
            std::ranges::copy_if(all, std::back_inserter(some), [&](const Shard& s) { return is_wanted(s.path); });
            return some;
        };
        const std::vector<Shard> shards = of_shards(known_.shards);  // none in a manifest of tensors in memory
        if (!shards.empty()) compare(shards, of_shards(found.shards), known_.piece_size, failed, out);
        return report;
    }

private:
    Found read(const std::function<Place()>& open, const RunOptions& run) {
        Place place;
        try {
            place = open();
        } catch (const Error& error) {
            if (known_.kind != Kind::file && known_.kind != Kind::index) throw;
            if (error.code() != ErrorCode::io && error.code() != ErrorCode::invalid_argument) throw;
            Found none;
            for (const Shard& shard : known_.shards) none.failed.emplace_back(shard.path, error.what());
            return none;
        }
        if (known_.kind != Kind::folder) place.source.files.clear();  // the manifest says nothing of other files
        // A single file may have been renamed.
        const bool is_renamed =
            known_.kind == Kind::file && place.source.kind == Kind::file && known_.name != place.source.name;
        const std::string name = known_.name.value_or("");
        Reading reading{
            .piece_size = known_.piece_size, .digest = known_.digest, .keeps_going = true, .ignore = known_.ignore};
        reading.wanted = [&](const std::string& tensor, const std::string* shard) {
            return wanted_(tensor, is_renamed ? &name : shard);
        };
        Found found = read_files(place.source, *place.storage, reading, run);
        if (is_renamed) {
            for (Tensor& tensor : found.tensors) tensor.shard = name;
            for (Shard& shard : found.shards) shard.path = name;
            for (auto& failed : found.failed) failed.first = name;
        }
        return found;
    }

    const Manifest& known_;
    Filter wanted_;
    std::vector<Tensor> tensors_{};
    std::vector<File> files_{};
};

}  // namespace

Report check(const Manifest& known, const CheckOptions& options, const std::function<Place()>& open,
             const RunOptions& run) {
    return Check(known, options.only).of_files(open, run);
}

Report check(const Manifest& known, const std::string& path, const CheckOptions& options, const RunOptions& run) {
    refuse_empty_path(path);  // what open() throws is a part of the report
    const auto open = [&] {
        runtime::Progress progress(run.progress);
        Place place{find_source(path_in(known, path), known.ignore, options.follow_links, options.exclude,
                                runtime::waiting(progress)),
                    nullptr};
        place.storage = open_disk(place.source.folder, options.follow_links, run.threads);
        return place;
    };
    return check(known, options, open, run);
}

Report check_tensors(const Manifest& known, const std::vector<std::string>& only, std::vector<Tensor> found) {
    const Check check(known, only);
    std::ranges::sort(found, {}, &Tensor::name);
    Report report{.checked = found.size()};
    for (const Tensor& tensor : found) report.bytes += tensor.size;
    compare(check.tensors(), found, known.piece_size, {}, report.differences);
    return report;
}

std::vector<std::string> tensors_of(const Manifest& known, const std::vector<std::string>& only) {
    const Check check(known, only);
    std::vector<std::string> names;
    for (const Tensor& tensor : check.tensors()) names.push_back(tensor.name);
    return names;
}

Differences diff(const Manifest& manifest, const Manifest& other) {
    const PublicCall entry("diff");
    if (manifest.digest != other.digest)
        invalid_call(
            "one manifest has digests of tiles, the other of bytes; they cannot be compared: make both of one kind");
    const std::uint64_t piece_size = manifest.piece_size == other.piece_size ? manifest.piece_size : 0;
    Differences differences;
    compare(manifest.tensors, other.tensors, piece_size, {}, differences);
    compare(manifest.files, other.files, piece_size, {}, differences);
    return differences;
}

}  // namespace merklize::inline v0::manifests
