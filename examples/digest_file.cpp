// BLAKE3 of a file, as b3sum prints it:  digest_file FILE
#include <iostream>

#include <merklize/merklize.hpp>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: digest_file FILE\n";
        return 2;
    }
    try {
        merklize::Digest digest;
        merklize::hash_file(argv[1], digest.bytes);  // reads with all cores, holds a few hundred KiB of it
        std::cout << digest.hex() << "  " << argv[1] << '\n';
    } catch (const merklize::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
