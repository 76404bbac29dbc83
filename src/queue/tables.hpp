#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "jobs/extension.hpp"

namespace merklize::runtime {

class Block;

/// The tables of an extension on a device.
struct ExtensionTables {
    std::shared_ptr<Block> roots{}, scales{};
};

/// Tables of the extensions that were made last, for the next ones of the same form: a prover makes many.
class KeptTables {
public:
    std::optional<ExtensionTables> find(const ExtensionPlan::Key& key);
    /// Keeps tables that are complete on the device, and lets the ones go that were longest not used. Commands already
    /// enqueued may still use those.
    void keep(const ExtensionPlan::Key& key, const ExtensionTables& tables) noexcept;
    /// Lets all go to make room. Returns false if there were none.
    bool free_kept() noexcept;

private:
    struct Kept {
        ExtensionPlan::Key key;
        ExtensionTables tables;
    };
    std::mutex mutex_;
    std::vector<Kept> kept_;  // guarded by mutex_; the one used last is the last
};

}  // namespace merklize::runtime
