#pragma once

#include <mutex>
#include <thread>
#include <vector>

namespace merklize::binding {

/// A lock of a bound object: any number of threads may read the object, or one may change it. The others wait, without
/// the GIL, and Ctrl-C ends their wait.
/// errors  InvalidArgument: the thread itself is changing the object, or wants to change what it is reading, which only
///         a progress function or a signal handler can do; or another thread was changing the object when this process
///         was forked
class ObjectLock {
public:
    ObjectLock() = default;
    /// A copied or moved object begins unlocked.
    ObjectLock(const ObjectLock&) noexcept {}
    ObjectLock& operator=(const ObjectLock&) = delete;

    /// Holds the lock during its lifetime.
    template <bool changes>
    class Use {
    public:
        /// what  the object, for error texts: "Hasher"
        Use(ObjectLock& lock, const char* what) : lock_(lock) { lock_.enter(changes, what); }
        ~Use() { lock_.leave(changes); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

    private:
        ObjectLock& lock_;
    };
    using Reading = Use<false>;
    using Changing = Use<true>;

private:
    void enter(bool changes, const char* what);
    void leave(bool changes) noexcept;
    bool is_free(bool changes) const noexcept;
    void take(bool changes);
    void forget_lost_threads();

    // Held only for moments, and with the GIL, so that no thread has it when another thread forks.
    std::mutex mutex_;
    // What mutex_ guards:
    std::vector<std::thread::id> readers_;  // a thread is here once for each Reading
    std::thread::id changer_;
    bool is_awaited_ = false;
    bool is_torn_ = false;           // a thread of the parent process was changing the object
    const void* process_ = nullptr;  // that looked at the lock last
};

/// An object of the library that Python's threads may share.
template <class Object>
class Shared {
public:
    explicit Shared(Object&& object) : object_(std::move(object)) {}
    Shared(Shared&& other) noexcept : object_(std::move(other.object_)) {}

    /// Calls use(const Object&), beside other readers.
    template <class Use>
    auto read(const char* what, Use&& use) const {
        const ObjectLock::Reading reading(lock_, what);
        return use(static_cast<const Object&>(object_));
    }
    /// Calls use(Object&), alone.
    template <class Use>
    auto change(const char* what, Use&& use) {
        const ObjectLock::Changing changing(lock_, what);
        return use(object_);
    }

private:
    Object object_;
    mutable ObjectLock lock_;
};

}  // namespace merklize::binding
