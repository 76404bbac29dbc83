#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace merklize::binding {

/// A lock of a bound object: any number of threads may read the object, or one may change it. The others wait, without
/// the GIL, and Ctrl-C ends their wait.
/// errors  InvalidArgument: the thread itself is changing the object, or wants to change what it is reading. Only a
///         progress function or a signal handler can do that.
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

    // Held only for moments, and never while a thread waits for the GIL.
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::thread::id> readers_;  // guarded by mutex_; a thread is here once for each Reading
    std::thread::id changer_;               // guarded by mutex_
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
