// Manifests of weights.
#include "c_api/calls.hpp"

using namespace merklize::c_api;
namespace manifests = merklize::manifests;

namespace {

struct ManifestOptions {
    enum class Of : std::uint8_t { create, check, refresh };

    ManifestOptions(const Call& call, const merklize_manifest_options* given, Of of) {
        if (given == nullptr) return;
        const merklize_manifest_options& options = *given;
        if (options.piece_size != 0) piece_size = options.piece_size == UINT64_MAX ? 0 : options.piece_size;
        for (const char* const& pattern : call.items(options.patterns, options.pattern_count, "options->patterns"))
            patterns.emplace_back(
                &call.need(pattern, ("options->patterns[" + std::to_string(patterns.size()) + "]").c_str()));
        if (options.exclude != nullptr) exclude = options.exclude;
        follow_links = call.flag(options.follow_links, "options->follow_links");
        everything = call.flag(options.everything, "options->everything");
        if (call.flag(options.tiles, "options->tiles")) digest = manifests::DigestKind::tiles;
        const auto refuse = [&](bool is_given, const char* name) {
            if (is_given) call.invalid(name, "must be 0: this call does not use it");
        };
        refuse(of != Of::create && options.piece_size != 0, "options->piece_size");
        refuse(of != Of::create && options.tiles != 0, "options->tiles");
        refuse(of != Of::refresh && everything, "options->everything");
        if (of == Of::refresh && !patterns.empty())
            call.invalid("options->patterns", "must be none: they are the manifest's own");
    }

    std::uint64_t piece_size = manifests::default_piece_size;
    std::vector<std::string> patterns{};
    std::string exclude{};
    bool follow_links = false, everything = false;
    manifests::DigestKind digest = manifests::DigestKind::bytes;
};

// One of the shards that are in an index alone.
merklize_status put_missing(const char* function, const std::vector<std::string>* missing, const char* owner,
                            size_t index, const char** name) {
    return run(function, [&](const Call& call) {
        const char*& out = call.need(name, "name");
        const std::vector<std::string>& names = call.need(missing, owner);
        call.require_index(index, names.size(), "missing files");
        out = names[index].c_str();
    });
}

}  // namespace

merklize_status merklize_manifest_create(const char* path, const merklize_manifest_options* options,
                                         const merklize_run_options* run_options, merklize_manifest** manifest) {
    return run("merklize_manifest_create", [&](const Call& call) {
        merklize_manifest*& out = call.result(manifest, "manifest");
        const ManifestOptions given(call, options, ManifestOptions::Of::create);
        const Options run(call, run_options);
        const char* const source = call.path(path, "path");
        out = new merklize_manifest{manifests::create(
            source, {given.piece_size, given.patterns, given.follow_links, given.exclude, given.digest}, run.get())};
        run.finish();
    });
}

merklize_status merklize_manifest_parse(const char* text, size_t bytes, merklize_manifest** manifest) {
    return run("merklize_manifest_parse", [&](const Call& call) {
        merklize_manifest*& out = call.result(manifest, "manifest");
        const std::span<const char> all = call.items(text, bytes, "text");
        out = new merklize_manifest{manifests::parse({all.data(), all.size()})};
    });
}

merklize_status merklize_manifest_load(const char* path, merklize_manifest** manifest) {
    return run("merklize_manifest_load", [&](const Call& call) {
        merklize_manifest*& out = call.result(manifest, "manifest");
        out = new merklize_manifest{manifests::load(call.path(path, "path"))};
    });
}

void merklize_manifest_free(merklize_manifest* manifest) { delete manifest; }

merklize_status merklize_manifest_root(const merklize_manifest* manifest, merklize_digest* root) {
    return run("merklize_manifest_root",
               [&](const Call& call) { call.need(root, "root") = to_c(call.need(manifest, "manifest").value.root); });
}

size_t merklize_manifest_missing_count(const merklize_manifest* manifest) {
    return manifest == nullptr ? 0 : manifest->value.missing.size();
}

merklize_status merklize_manifest_missing_get(const merklize_manifest* manifest, size_t index, const char** name) {
    return put_missing("merklize_manifest_missing_get", manifest == nullptr ? nullptr : &manifest->value.missing,
                       "manifest", index, name);
}

merklize_status merklize_manifest_to_json(const merklize_manifest* manifest, int with_seen, char* text, size_t capacity,
                                          size_t* length) {
    return run("merklize_manifest_to_json", [&](const Call& call) {
        const std::string json = to_json(call.need(manifest, "manifest").value, call.flag(with_seen, "with_seen"));
        call.put_text(json, text, capacity, length);
    });
}

merklize_status merklize_manifest_check(const merklize_manifest* manifest, const char* path,
                                        const merklize_manifest_options* options,
                                        const merklize_run_options* run_options, merklize_differences** differences) {
    return run("merklize_manifest_check", [&](const Call& call) {
        merklize_differences*& out = call.result(differences, "differences");
        const ManifestOptions given(call, options, ManifestOptions::Of::check);
        const Options run(call, run_options);
        manifests::Report report = manifests::check(call.need(manifest, "manifest").value, call.path(path, "path"),
                                                    {given.patterns, given.follow_links, given.exclude}, run.get());
        out = new merklize_differences(std::move(report.differences), std::move(report.missing));
        run.finish();
    });
}

merklize_status merklize_manifest_diff(const merklize_manifest* manifest, const merklize_manifest* other,
                                       merklize_differences** differences) {
    return run("merklize_manifest_diff", [&](const Call& call) {
        merklize_differences*& out = call.result(differences, "differences");
        out = new merklize_differences(diff(call.need(manifest, "manifest").value, call.need(other, "other").value));
    });
}

merklize_status merklize_manifest_refresh(const merklize_manifest* manifest, const char* path,
                                          const merklize_manifest_options* options,
                                          const merklize_run_options* run_options, merklize_manifest** made) {
    return run("merklize_manifest_refresh", [&](const Call& call) {
        merklize_manifest*& out = call.result(made, "made");
        const ManifestOptions given(call, options, ManifestOptions::Of::refresh);
        const Options run(call, run_options);
        manifests::Refreshed found =
            manifests::refresh(call.need(manifest, "manifest").value, call.path(path, "path"),
                               {given.everything, given.follow_links, given.exclude}, run.get());
        out = new merklize_manifest{std::move(found.manifest)};
        run.finish();
    });
}

size_t merklize_differences_count(const merklize_differences* differences) {
    return differences == nullptr ? 0 : differences->value.size();
}

merklize_status merklize_differences_get(const merklize_differences* differences, size_t index,
                                         merklize_difference* difference) {
    return run("merklize_differences_get", [&](const Call& call) {
        const merklize_differences& all = call.need(differences, "differences");
        merklize_difference& out = call.need(difference, "difference");
        call.require_index(index, all.value.size(), "differences");
        const manifests::Difference& one = all.value[index];
        out = {.kind = one.kind.c_str(),
               .what = one.what.c_str(),
               .name = one.name.c_str(),
               .shard = one.shard ? one.shard->c_str() : nullptr,
               .sentence = all.sentences[index].c_str(),
               .begin = one.begin.value_or(0),
               .end = one.end.value_or(0)};
    });
}

size_t merklize_differences_missing_count(const merklize_differences* differences) {
    return differences == nullptr ? 0 : differences->missing.size();
}

merklize_status merklize_differences_missing_get(const merklize_differences* differences, size_t index,
                                                 const char** name) {
    return put_missing("merklize_differences_missing_get", differences == nullptr ? nullptr : &differences->missing,
                       "differences", index, name);
}

void merklize_differences_free(merklize_differences* differences) { delete differences; }
