#pragma once

#include <variant>

#include <merklize/merklize.h>
#include <merklize/merklize.hpp>

// What the handles of merklize.h are.

struct merklize_device {
    merklize::Device value;
};

struct merklize_stream {
    merklize::Stream value;
};

struct merklize_buffer {
    merklize::Buffer value;
    bool is_read_only = false;  ///< nodes of a tree
};

struct merklize_hasher {
    merklize::Hasher value;
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

struct merklize_proof {
    std::variant<merklize::MerkleProof, merklize::MultiProof, merklize::ConsistencyProof> value;
};
