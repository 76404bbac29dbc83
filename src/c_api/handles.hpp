#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <merklize/merklize.h>
#include <merklize/merklize.hpp>

#include "texts/urls.hpp"

// The structs behind the handles of merklize.h.

struct merklize_device {
    merklize::Device value;
};

struct merklize_stream {
    merklize::Stream value;
};

struct merklize_event {
    merklize::Event value;
};

struct merklize_buffer {
    merklize::ConstBuffer value;
    std::optional<merklize::Buffer> writable{};  ///< the same bytes, unless the buffer is for reading only

    explicit merklize_buffer(const merklize::ConstBuffer& bytes) : value(bytes) {}
    explicit merklize_buffer(const merklize::Buffer& bytes) : value(bytes), writable(bytes) {}
};

struct merklize_hasher {
    merklize::Hasher value;
};

struct merklize_file_digests {
    std::vector<merklize::FileDigest> value;

    explicit merklize_file_digests(std::vector<merklize::FileDigest> made) : value(std::move(made)) {
        for (auto& one : value) one.error = merklize::texts::masked(one.error);
    }
};

struct merklize_tree {
    merklize::MerkleTree value;
};

struct merklize_tree_builder {
    merklize::TreeBuilder value;
};

struct merklize_tree_file {
    merklize::TreeFile value;
};

struct merklize_tree_writer {
    merklize::TreeWriter value;
};

struct merklize_forest {
    merklize::MerkleForest value;
};

struct merklize_openzeppelin_tree {
    merklize::OpenZeppelinTree value;
};

struct merklize_proof {
    std::variant<merklize::MerkleProof, merklize::MultiProof, merklize::ConsistencyProof> value;
};

struct merklize_commitment {
    merklize::MatrixCommitment value;
};

struct merklize_manifest {
    merklize::manifests::Manifest value;
};

struct merklize_xmss_key {
    merklize::xmss::Key value;
};

struct merklize_differences {
    merklize::manifests::Differences value;
    std::vector<std::string> missing;      ///< shards that are in an index alone
    std::vector<std::string> sentences{};  ///< one for each difference

    explicit merklize_differences(merklize::manifests::Differences found, std::vector<std::string> names = {})
        : value(std::move(found)), missing(std::move(names)) {
        for (const auto& one : value) sentences.push_back(merklize::texts::masked(one.sentence()));
    }
};
