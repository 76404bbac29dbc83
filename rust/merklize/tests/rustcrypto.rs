//! RustCrypto's traits: the generic tests of the crate `digest` on published answers, and messages of every length
//! compared with our own functions.

use digest::dev::{fixed_reset_test, xof_reset_test, TestVector};
use digest::{Digest, ExtendableOutput, KeyInit, Mac, Update, XofReader};
use merklize::rustcrypto::{Blake3, Sha256};
use merklize::{hash_into, hash_with, Hash, Mode, Options};

/// FIPS 180-4's examples, and the empty message.
const SHA256: [TestVector; 3] = [
    TestVector {
        input: b"",
        output: b"\xe3\xb0\xc4\x42\x98\xfc\x1c\x14\x9a\xfb\xf4\xc8\x99\x6f\xb9\x24\x27\xae\x41\xe4\x64\x9b\x93\x4c\xa4\x95\x99\x1b\x78\x52\xb8\x55",
    },
    TestVector {
        input: b"abc",
        output: b"\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad",
    },
    TestVector {
        input: b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        output: b"\x24\x8d\x6a\x61\xd2\x06\x38\xb8\xe5\xc0\x26\x93\x0c\x3e\x60\x39\xa3\x3c\xe4\x59\x64\xff\x21\x67\xf6\xec\xed\xd4\x19\xdb\x06\xc1",
    },
];

/// The official test vectors of BLAKE3 (test_vectors.json of its repository) for no bytes and for one zero byte.
const BLAKE3: [TestVector; 2] = [
    TestVector {
        input: b"",
        output: b"\xaf\x13\x49\xb9\xf5\xf9\xa1\xa6\xa0\x40\x4d\xea\x36\xdc\xc9\x49\x9b\xcb\x25\xc9\xad\xc1\x12\xb7\xcc\x9a\x93\xca\xe4\x1f\x32\x62",
    },
    TestVector {
        input: b"\0",
        output: b"\x2d\x3a\xde\xdf\xf1\x1b\x61\xf1\x4c\x88\x6e\x35\xaf\xa0\x36\x73\x6d\xcd\x87\xa7\x4d\x27\xb5\xc1\x51\x02\x25\xd0\xf5\x92\xe2\x13",
    },
];

#[test]
fn generic_tests() {
    for vector in &SHA256 {
        fixed_reset_test::<Sha256>(vector).unwrap();
    }
    for vector in &BLAKE3 {
        fixed_reset_test::<Blake3>(vector).unwrap();
        xof_reset_test::<Blake3>(vector).unwrap();
    }
}

#[test]
fn same_as_the_functions() {
    let data: Vec<u8> = (0..70_000u32).map(|i| (i % 251) as u8).collect();
    let key = [7; 32];
    for length in [0, 1, 63, 64, 65, 1024, 1025, 70_000] {
        let data = &data[..length];
        let expected = hash_with(data, Hash::SHA256, &Options::new()).unwrap();
        assert_eq!(Sha256::digest(data)[..], expected.0);
        let mut keyed = <Blake3 as KeyInit>::new(&key.into());
        for piece in data.chunks(1000) {
            Update::update(&mut keyed, piece);
        }
        let (mut whole, mut first, mut rest) = ([0; 100], [0; 33], [0; 67]);
        hash_into(data, Mode::Keyed(&key), 0, &mut whole, &Options::new()).unwrap();
        assert_eq!(Mac::finalize(keyed.clone()).into_bytes()[..], whole[..32]);
        let mut reader = keyed.finalize_xof();
        reader.read(&mut first);
        reader.read(&mut rest);
        assert_eq!([&first[..], &rest[..]].concat(), whole);
    }
}
