//! Layers of digests by Plonky3's rule, for a binary tree.

use merklize::{fill_rows, hash_rows, merge_many, Device, Digest, Error, Hash, Options};
use p3_matrix::Matrix;

use crate::elements::{write_row, DeviceElement};

/// All layers of a commitment: the leaves first, the root last.
pub(crate) struct Layers(Vec<Vec<Digest>>);

impl Layers {
    pub fn of<T: DeviceElement, M: Matrix<T>>(matrices: &[M], hash: Hash, device: &Device) -> Result<Self, Error> {
        let heights: Vec<usize> = matrices.iter().map(|matrix| matrix.height()).collect();
        check_heights(&heights)?;
        let options = Options::new().device(device);
        let tallest = heights.iter().copied().max().unwrap_or(0);
        let rows_of = |height: usize| -> Result<Vec<Digest>, Error> {
            let group: Vec<&M> = matrices.iter().filter(|matrix| matrix.height() == height).collect();
            row_digests(&group, height, hash, &options)
        };
        let mut layers = vec![padded(rows_of(tallest)?)];
        loop {
            let below = layers.last().expect("there are leaves");
            if below.len() == 1 {
                return Ok(Self(layers));
            }
            let (left, right) = halves(below);
            let mut nodes = merge_many(hash, &left, &right, &options)?;
            let injected = heights
                .iter()
                .copied()
                .find(|&height| height < tallest && height.next_power_of_two() == nodes.len().next_power_of_two());
            if let Some(height) = injected {
                let mut rows = rows_of(height)?;
                rows.resize(nodes.len(), Digest::default());
                nodes = merge_many(hash, &nodes, &rows, &options)?;
            }
            layers.push(padded(nodes));
        }
    }

    /// Layers above the leaves.
    pub fn height(&self) -> usize {
        self.0.len() - 1
    }

    /// The layer so many layers below the root; the leaves where there are not so many.
    pub fn cap(&self, height: usize) -> &[Digest] {
        &self.0[self.height() - height.min(self.height())]
    }

    /// The sibling in each layer below the cap.
    pub fn siblings(&self, index: usize, cap_height: usize) -> Vec<Digest> {
        let below = self.height() - cap_height.min(self.height());
        (0..below).map(|layer| self.0[layer][(index >> layer) ^ 1]).collect()
    }

    /// What a verifier of several leaves cannot compute: layer by layer, left to right.
    pub fn siblings_together(&self, indices: &[usize], cap_height: usize) -> Vec<Digest> {
        let below = self.height() - cap_height.min(self.height());
        let mut known: Vec<usize> = indices.to_vec();
        known.sort_unstable();
        known.dedup();
        let mut siblings = vec![];
        for layer in &self.0[..below] {
            let missing = known.iter().filter(|&&node| known.binary_search(&(node ^ 1)).is_err());
            siblings.extend(missing.map(|node| layer[node ^ 1]));
            known.iter_mut().for_each(|node| *node >>= 1);
            known.dedup();
        }
        siblings
    }
}

/// With rows h of the tallest matrix, every height must be ceil(h / 2^k) for some k.
fn check_heights(heights: &[usize]) -> Result<(), Error> {
    let tallest = heights.iter().copied().max().unwrap_or(0);
    if tallest == 0 {
        return Err(Error::invalid_argument("commit: there must be at least one matrix with rows"));
    }
    for &height in heights {
        if !(0..usize::BITS).any(|k| tallest.div_ceil(1 << k) == height) {
            let rule =
                format!("commit: heights must be ceil({tallest} / 2^k), that of the tallest matrix, got {height}");
            return Err(Error::invalid_argument(rule));
        }
    }
    Ok(())
}

/// Digests of the rows of matrices of one height, side by side.
fn row_digests<T: DeviceElement, M: Matrix<T>>(
    group: &[&M],
    height: usize,
    hash: Hash,
    options: &Options<'_>,
) -> Result<Vec<Digest>, Error> {
    let width: usize = group.iter().map(|matrix| matrix.width()).sum();
    let is_field_hash = hash.info().modulus.is_some();
    let words: Vec<T::Word> = fill_rows(height, width, |first, piece| {
        for (i, words) in piece.chunks_exact_mut(width).enumerate() {
            let mut at = 0;
            for matrix in group {
                let row = matrix.row_slice(first + i).expect("the row is below the height");
                write_row(is_field_hash, &row, &mut words[at..at + row.len()]);
                at += row.len();
            }
        }
    });
    hash_rows(hash, &words, width, options)
}

/// A layer of more than one node has an even number of them.
fn padded(mut layer: Vec<Digest>) -> Vec<Digest> {
    if layer.len() > 1 && layer.len() % 2 == 1 {
        layer.push(Digest::default());
    }
    layer
}

fn halves(layer: &[Digest]) -> (Vec<Digest>, Vec<Digest>) {
    layer.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip()
}
