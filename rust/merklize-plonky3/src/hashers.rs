use std::sync::Arc;

use merklize::{hash_leaves_into, merge_many, or_raise, Device, Digest, Error, Hash, Options};
use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction};

use crate::elements::{write_row, DeviceDigest, DeviceElement};
use crate::mmcs::check_same;

/// The least number of rows, or of groups of children, in a batch of a tree: the lanes of the library's widest vectors,
/// for words of 32 bits.
const LANES: usize = 16;

/// The library's hash on the calling thread alone, because Plonky3 has its own threads.
#[derive(Clone, Debug)]
struct Lanes {
    hash: Hash,
    is_field_hash: bool,
    cpu: Arc<Device>,
}

impl Lanes {
    fn options(&self) -> Options<'_> {
        Options::new().device(&self.cpu).threads(1)
    }
}

/// A stock hasher whose batches (`hash_many`) run on the library's CPU lanes; the stock hasher takes single messages.
/// Plonky3's own tree uses the batches if its values are not packed: `MerkleTreeMmcs<Val, Val, LaneHasher<H>,
/// LaneCompressor<C>, 2, 4>`.
#[derive(Clone, Debug)]
pub struct LaneHasher<H> {
    stock: H,
    lanes: Option<Lanes>,
}

/// A stock compressor whose batches (`compress_many`) run on the library's CPU lanes; the partner of [`LaneHasher`].
#[derive(Clone, Debug)]
pub struct LaneCompressor<C> {
    stock: C,
    lanes: Option<Lanes>,
}

/// The hasher and the compressor of a tree, on the library's CPU lanes. `T` is the field of the rows, `D` the type of a
/// digest.
///
/// # Errors
/// The library's hash computes something else than the hasher or the compressor.
pub fn on_lanes<T, D, H, C>(hasher: H, compressor: C, hash: Hash) -> Result<(LaneHasher<H>, LaneCompressor<C>), Error>
where
    T: DeviceElement,
    D: DeviceDigest + PartialEq,
    H: CryptographicHasher<T, D>,
    C: PseudoCompressionFunction<D, 2>,
{
    check_same(&hasher, &compressor, hash)?;
    let cpu = Arc::new(Device::open("cpu")?);
    let lanes = Some(Lanes { hash, is_field_hash: hash.info().modulus.is_some(), cpu });
    Ok((LaneHasher { stock: hasher, lanes: lanes.clone() }, LaneCompressor { stock: compressor, lanes }))
}

/// The same types, whose batches are the stock hasher's and compressor's: for systems where the library does not run
/// ([`HAS_LIBRARY`](crate::HAS_LIBRARY)).
pub fn without_lanes<H, C>(hasher: H, compressor: C) -> (LaneHasher<H>, LaneCompressor<C>) {
    (LaneHasher { stock: hasher, lanes: None }, LaneCompressor { stock: compressor, lanes: None })
}

impl<T, D, H> CryptographicHasher<T, D> for LaneHasher<H>
where
    T: DeviceElement,
    D: DeviceDigest,
    H: CryptographicHasher<T, D>,
{
    const LANES: usize = LANES;

    fn hash_iter<I: IntoIterator<Item = T>>(&self, input: I) -> D {
        self.stock.hash_iter(input)
    }

    fn hash_iter_slices<'a, I: IntoIterator<Item = &'a [T]>>(&self, input: I) -> D {
        self.stock.hash_iter_slices(input)
    }

    fn hash_many(&self, input: &[T], out: &mut [D]) {
        let Some(lanes) = self.lanes.as_ref().filter(|_| !input.is_empty() && out.len() >= 2) else {
            return self.stock.hash_many(input, out);
        };
        let (n, messages) = (input.len(), out.len());
        assert!(
            n.is_multiple_of(messages),
            "input length ({n}) must be a whole multiple of the digest count ({messages})"
        );
        let mut words = vec![T::Word::default(); n];
        write_row(lanes.is_field_hash, input, &mut words);
        let mut digests = vec![Digest::default(); messages];
        let options = lanes.options();
        or_raise(hash_leaves_into(&words, n / messages, lanes.hash, &mut digests, &options));
        out.iter_mut().zip(digests).for_each(|(out, digest)| *out = D::from_library(digest));
    }
}

impl<D, C> PseudoCompressionFunction<D, 2> for LaneCompressor<C>
where
    D: DeviceDigest,
    C: PseudoCompressionFunction<D, 2>,
{
    const LANES: usize = LANES;

    fn compress(&self, input: [D; 2]) -> D {
        self.stock.compress(input)
    }

    fn compress_many(&self, inputs: &[[D; 2]], out: &mut [D]) {
        let (n, outputs) = (inputs.len(), out.len());
        assert_eq!(n, outputs, "group count ({n}) must equal the output count ({outputs})");
        let Some(lanes) = self.lanes.as_ref().filter(|_| n >= 2) else {
            return self.stock.compress_many(inputs, out);
        };
        let side = |side: usize| inputs.iter().map(|pair| pair[side].to_library()).collect::<Vec<_>>();
        let nodes = or_raise(merge_many(&side(0), &side(1), lanes.hash, &lanes.options()));
        out.iter_mut().zip(nodes).for_each(|(out, node)| *out = D::from_library(node));
    }
}
