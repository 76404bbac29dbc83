#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <utility>

namespace merklize::runtime {

/// What a process makes when it is first asked for and then keeps until it ends, found by a key. For static objects:
/// nothing is ever destroyed, because threads may still compute while the process ends.
///
/// Threads that ask for a new key at once each make its value, and the value that is ready first is kept. So no thread
/// waits for another thread, and a child of fork() not for one that only its parent has.
template <std::equality_comparable Key, class Value>
class MadeOnce {
public:
    /// make()  the value, if the key is new; nothing is kept if it throws
    template <class Make>
    const Value& get(const Key& key, const Make& make) {
        const Entry* first = first_.load(std::memory_order_acquire);
        if (const Entry* found = find(first, key)) return found->value;
        std::unique_ptr<Entry> made(new Entry{key, make(), nullptr});
        do {
            if (const Entry* found = find(first, key)) return found->value;
            made->next = first;
        } while (!first_.compare_exchange_weak(first, made.get(), std::memory_order_acq_rel));
        return made.release()->value;
    }

private:
    struct Entry {
        Key key;
        Value value;
        const Entry* next;
    };

    static const Entry* find(const Entry* entry, const Key& key) {
        while (entry != nullptr && !(entry->key == key)) entry = entry->next;
        return entry;
    }

    std::atomic<const Entry*> first_{nullptr};
};

}  // namespace merklize::runtime
