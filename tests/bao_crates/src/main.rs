//! Prints answers of the crates bao and bao-tree for messages whose byte i is i mod 251, as JSON lines of BLAKE3
//! digests:
//!
//!     bao-crates answers SEED COUNT
//!
//! or the time that bao takes to encode a file in memory, in seconds of each call:
//!
//!     bao-crates times FILE CALLS

use std::io::{Cursor, Read};
use std::time::Instant;

use bao_tree::io::outboard::{PostOrderMemOutboard, PreOrderMemOutboard};
use bao_tree::io::sync::encode_ranges_validated;
use bao_tree::{BlockSize, ChunkNum, ChunkRanges};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

fn digest(data: &[u8]) -> String {
    blake3::hash(data).to_hex().to_string()
}

fn bao_slice(encoding: &[u8], start: u64, length: u64) -> Vec<u8> {
    let mut slice = Vec::new();
    bao::encode::SliceExtractor::new(Cursor::new(encoding), start, length).read_to_end(&mut slice).unwrap();
    slice
}

fn answer(random: &mut Random) {
    let most = [3_000, 40_000, 600_000][random.below(3) as usize];
    let edge = [0, 1024, 16384][random.below(3) as usize];
    let n = if edge == 0 { random.below(most) } else { edge * random.below(most / 1024) + random.below(3) };
    let n = n % 2_000_000;
    let data: Vec<u8> = (0..n).map(|i| (i % 251) as u8).collect();
    let (encoding, root) = bao::encode::encode(&data);
    let (outboard, _) = bao::encode::outboard(&data);
    let (start, length) = (random.below(n + 2_000), random.below(n + 1));
    let slice = bao_slice(&encoding, start, length);

    let log = random.below(8) as u8;
    let pre = PreOrderMemOutboard::create(&data, BlockSize::from_chunk_log(log));
    let post = PostOrderMemOutboard::create(&data, BlockSize::from_chunk_log(log));
// Ranges of chunks, some of them beyond the end.
    let chunks = n.div_ceil(1024).max(1);
    let mut ranges = ChunkRanges::empty();
    let mut text = Vec::new();
    for _ in 0..random.below(5) {
        let first = random.below(chunks + 2);
        let most = if random.below(2) == 0 { 3 } else { chunks + 1 };
        let count = 1 + random.below(most);
        ranges |= ChunkRanges::from(ChunkNum(first)..ChunkNum(first + count));
        text.push(format!("[{}, {}]", 1024 * first, 1024 * count));
    }
    let mut selected = Vec::new();
    encode_ranges_validated(data.as_slice(), &pre, &ranges, &mut selected).unwrap();
    println!(
        "{{\"n\": {n}, \"root\": \"{}\", \"outboard\": \"{}\", \"encoding\": \"{}\", \"start\": {start}, \"length\": {length}, \
         \"slice\": \"{}\", \"group_size\": {}, \"pre\": \"{}\", \"post\": \"{}\", \"ranges\": [{}], \"selected\": \"{}\"}}",
        root.to_hex(),
        digest(&outboard),
        digest(&encoding),
        digest(&slice),
        1024u64 << log,
        digest(&pre.data),
        digest(&post.data),
        text.join(", "),
        digest(&selected),
    );
}

fn times(path: &str, calls: u64) {
    let data = std::fs::read(path).unwrap();
    for _ in 0..calls {
        let begin = Instant::now();
        let encoding = bao::encode::encode(&data).0;
        let encode = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let outboard = bao::encode::outboard(&data).0;
        let seconds = begin.elapsed().as_secs_f64();
        let sizes = (encoding.len(), outboard.len());
        println!("{{\"encode\": {encode}, \"outboard\": {seconds}, \"sizes\": [{}, {}]}}", sizes.0, sizes.1);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["answers", seed, count] => {
            let mut random = Random(seed.parse().unwrap());
            (0..count.parse().unwrap()).for_each(|_| answer(&mut random));
        }
        ["times", path, calls] => times(path, calls.parse().unwrap()),
        _ => {
            eprintln!("usage: bao-crates answers SEED COUNT | times FILE CALLS");
            std::process::exit(2);
        }
    }
}
