#pragma once

#include <functional>
#include <string>

#include "command/hash/job.hpp"
#include "command/output/progress.hpp"

namespace merklize::command {

/// One input of a run.
struct HashInput {
    std::string path{};
    std::string error{};   ///< it failed already, by this reason
    bool is_none = false;  ///< nothing to hash: it only keeps its place in the order
};

/// Hashes many inputs, several at once, and gives the results in the order of the inputs, in memory that does not depend on their count.
///
/// The threads of the run each take one small file at a time: open, read, hash, close. Large files, pipes and standard input take all threads,
/// when everything before them is done. Of a rotational disk one file at a time is read, in the order of the inputs: such a disk loses a factor
/// of up to 100 where many threads read at many places.
///
/// next    gives the next input; false: there are no more. Called while others are hashed, from the calling thread
/// done    takes a result. Called from the calling thread
/// errors  what next() and done() throw, and the first error, in the order of the inputs, that is not about the input itself
void hash_in_order(Call& call, HashJob& job, const std::function<bool(HashInput&)>& next,
                   const std::function<void(const HashResult&)>& done, Bar& bar);

}  // namespace merklize::command
