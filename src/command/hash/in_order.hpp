#pragma once

#include <functional>
#include <string>

#include "command/hash/job.hpp"
#include "command/output/progress.hpp"

namespace merklize::command {

/// One input of a run.
struct HashInput {
    std::string path{};
    std::string error{};   ///< why the input failed already; empty: it did not
    bool is_none = false;  ///< there is nothing to hash: the entry only keeps its place in the order
    bool is_file = false;  ///< the path is of a file, also if it looks like a URL
};

/// Hashes many inputs, several at once, and gives the results in the order of the inputs. Memory does not grow with
/// their number.
///
/// Each thread of the run takes one to sixteen small files at a time: open, read, hash, close each. A large file, a
/// pipe or standard input takes all threads, once everything before it is done. Files on rotational disks are read one
/// at a time, in order, because such a disk loses a factor of up to 100 when many threads read at many places.
///
/// next    gives the next input; false: there are no more. Called while others are hashed, from the calling thread
/// done    takes a result. Called from the calling thread
/// errors  those of next() and done(); and the first error, in the order of the inputs, that is not about an input
void hash_in_order(Call& call, HashJob& job, const std::function<bool(HashInput&)>& next,
                   const std::function<void(const HashResult&)>& done, Bar& bar);

}  // namespace merklize::command
