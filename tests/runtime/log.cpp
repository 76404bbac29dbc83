// Entries of the log are kept only if there is a reader, and at most a fixed number of them.

#include "jobs/log.hpp"

#include <thread>

#include "support.hpp"

using merklize::runtime::Log;
using merklize::runtime::LogLevel;

TEST("log: nothing is kept while it is off") {
    Log log;
    log.add(LogLevel::info, "before");
    CHECK(log.is_empty());
    log.turn_on();
    CHECK(log.is_empty());
    log.add(LogLevel::info, "after");
    log.add(LogLevel::warning, "last");
    CHECK(!log.is_empty());
    const auto taken = log.take();
    CHECK(log.is_empty() && log.take().empty());
    CHECK_EQ(taken.size(), 2u);
    CHECK(taken[0].level == LogLevel::info && taken[0].text == "after");
    CHECK(taken[1].level == LogLevel::warning && taken[1].text == "last");
}

TEST("log: the oldest entries make room for new ones, of any thread") {
    Log log;
    log.turn_on();
    const auto add = [&](int first) {
        for (int i = 0; i < 1000; i++) log.add(LogLevel::debug, std::to_string(first + i));
    };
    std::thread other(add, 1000);
    add(0);
    other.join();
    const auto taken = log.take();
    CHECK_EQ(taken.size(), Log::most);
    CHECK(taken.back().text == "999" || taken.back().text == "1999");
    int last[] = {-1, 999};  // the entries of each thread are in order
    for (const auto& entry : taken) {
        const int number = std::stoi(entry.text);
        CHECK(number > last[number / 1000]);
        last[number / 1000] = number;
    }
}
