// A message authentication code: BLAKE3's keyed mode, with a derived key, and the message fed in pieces.
#include <iostream>
#include <string_view>

#include <merklize/merklize.hpp>

namespace {

merklize::Digest code_of(const merklize::Digest& key, std::string_view head, std::string_view body) {
    merklize::Hasher hasher(merklize::Mode::keyed(key.bytes));
    hasher.update(head);
    hasher.update(body);
    return hasher.digest();
}

}  // namespace

int main() {
    // The context names the purpose: one secret gives a different key for each purpose.
    const auto mode = merklize::Mode::derive_key("merklize examples 2026-11-20 message authentication");
    const merklize::Digest key = merklize::hash("32 or more random bytes, kept secret", mode);

    const merklize::Digest code = code_of(key, "to: alice\n", "meet at noon");
    std::cout << "code " << code.hex() << '\n';
    std::cout << "message is genuine: " << (code == code_of(key, "to: alice\n", "meet at noon") ? "yes" : "no") << '\n';
    std::cout << "changed message: " << (code == code_of(key, "to: alice\n", "meet at nine") ? "yes" : "no") << '\n';
}
