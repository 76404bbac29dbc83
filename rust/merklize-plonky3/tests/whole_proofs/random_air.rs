//! AIRs of random constraints. Their traces satisfy none of them, so a proof of one is not valid; but a prover makes
//! it, and each prover the same one.

use std::borrow::Cow;

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeField64;
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// A node of the expressions. Operands are nodes before it.
#[derive(Clone, Copy, Debug)]
enum Node {
    Main(usize, bool),
    Preprocessed(usize, bool),
    Public(usize),
    Periodic(usize),
    IsFirstRow,
    IsLastRow,
    IsTransition,
    Constant(u64),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Neg(usize),
}

#[derive(Debug)]
pub struct RandomAir<F> {
    pub seed: u64,
    pub height: usize,
    pub width: usize,
    pub preprocessed: Option<RowMajorMatrix<F>>,
    pub public_values: Vec<F>,
    periodic: Vec<Vec<F>>,
    nodes: Vec<Node>,
    /// Nodes that are constraints.
    constraints: Vec<usize>,
}

/// An element, of which the smallest ones and the greatest one are frequent.
fn element<F: PrimeField64>(rng: &mut SmallRng) -> F {
    match rng.random_range(0..8) {
        0 => F::ZERO,
        1 => F::ONE,
        2 => F::NEG_ONE,
        _ => F::from_u64(rng.random::<u64>()),
    }
}

pub fn matrix<F: PrimeField64>(rng: &mut SmallRng, height: usize, width: usize) -> RowMajorMatrix<F> {
    RowMajorMatrix::new((0..height * width).map(|_| element(rng)).collect(), width)
}

impl<F: PrimeField64> RandomAir<F> {
    /// most_degree  of a constraint
    pub fn new(seed: u64, log_height: usize, most_degree: usize) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let rng = &mut rng;
        let height = 1 << log_height;
        let width = rng.random_range(1..9);
        let preprocessed = rng.random_bool(0.3).then(|| {
            let width = rng.random_range(1..4);
            matrix(rng, height, width)
        });
        let public_values = (0..rng.random_range(0..4)).map(|_| element(rng)).collect::<Vec<F>>();
        let n_periodic = if rng.random_bool(0.3) { rng.random_range(1..3) } else { 0 };
        let periodic: Vec<Vec<F>> = (0..n_periodic)
            .map(|_| (0..1 << rng.random_range(0..=log_height.min(3))).map(|_| element(rng)).collect())
            .collect();

        // Each with its degree.
        let mut nodes: Vec<(Node, usize)> = vec![];
        let most = if seed % 8 == 7 { 600 } else { 60 };
        for _ in 0..rng.random_range(1..most) {
            let is_next = rng.random();
            let n = nodes.len();
            // Mostly of late ones, so that expressions are deep.
            let any = |rng: &mut SmallRng| {
                let among = if rng.random() { n.min(4) } else { n };
                n - 1 - rng.random_range(0..among)
            };
            let next = match rng.random_range(if n < 4 { 0..10 } else { 4..22 }) {
                0..4 => (Node::Main(rng.random_range(0..width), is_next), 1),
                4 | 5 if preprocessed.is_some() => {
                    let width = preprocessed.as_ref().unwrap().width;
                    (Node::Preprocessed(rng.random_range(0..width), is_next), 1)
                }
                6 if !public_values.is_empty() => (Node::Public(rng.random_range(0..public_values.len())), 0),
                7 if n_periodic > 0 => (Node::Periodic(rng.random_range(0..n_periodic)), 1),
                8 => *[(Node::IsFirstRow, 1), (Node::IsLastRow, 1), (Node::IsTransition, 0)]
                    .get(rng.random_range(0..3))
                    .unwrap(),
                9 => (Node::Constant(element::<F>(rng).as_canonical_u64()), 0),
                10 | 11 if n > 0 => {
                    let a = any(rng);
                    (Node::Neg(a), nodes[a].1)
                }
                kind if n > 0 => {
                    let (a, b) = (any(rng), any(rng));
                    let (of_a, of_b) = (nodes[a].1, nodes[b].1);
                    match kind {
                        12..15 => (Node::Sub(a, b), of_a.max(of_b)),
                        15..20 if of_a + of_b <= most_degree => (Node::Mul(a, b), of_a + of_b),
                        _ => (Node::Add(a, b), of_a.max(of_b)),
                    }
                }
                _ => (Node::Main(rng.random_range(0..width), is_next), 1),
            };
            nodes.push(next);
        }
        let constraints = (0..rng.random_range(1..most / 5)).map(|_| rng.random_range(0..nodes.len())).collect();
        let nodes = nodes.into_iter().map(|(node, _)| node).collect();
        Self { seed, height, width, preprocessed, public_values, periodic, nodes, constraints }
    }

    pub fn trace(&self) -> RowMajorMatrix<F> {
        matrix(&mut SmallRng::seed_from_u64(!self.seed), self.height, self.width)
    }
}

impl<F: PrimeField64> BaseAir<F> for RandomAir<F> {
    fn width(&self) -> usize {
        self.width
    }
    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        self.preprocessed.clone()
    }
    fn preprocessed_width(&self) -> usize {
        self.preprocessed.as_ref().map_or(0, |matrix| matrix.width)
    }
    fn num_public_values(&self) -> usize {
        self.public_values.len()
    }
    fn num_periodic_columns(&self) -> usize {
        self.periodic.len()
    }
    fn periodic_columns(&self) -> Cow<'_, [Vec<F>]> {
        Cow::Borrowed(&self.periodic)
    }
}

impl<F: PrimeField64, AB: AirBuilder<F = F>> Air<AB> for RandomAir<F> {
    fn eval(&self, builder: &mut AB) {
        let (main, preprocessed) = (builder.main(), builder.preprocessed().clone());
        let mut values: Vec<AB::Expr> = vec![];
        for &node in &self.nodes {
            let value = |a: usize| values[a].clone();
            let made = match node {
                Node::Main(column, false) => main.current(column).unwrap().into(),
                Node::Main(column, true) => main.next(column).unwrap().into(),
                Node::Preprocessed(column, false) => preprocessed.current(column).unwrap().into(),
                Node::Preprocessed(column, true) => preprocessed.next(column).unwrap().into(),
                Node::Public(k) => builder.public_values()[k].into(),
                Node::Periodic(k) => builder.periodic_values()[k].into(),
                Node::IsFirstRow => builder.is_first_row(),
                Node::IsLastRow => builder.is_last_row(),
                Node::IsTransition => builder.is_transition(),
                Node::Constant(value) => F::from_u64(value).into(),
                Node::Add(a, b) => value(a) + value(b),
                Node::Sub(a, b) => value(a) - value(b),
                Node::Mul(a, b) => value(a) * value(b),
                Node::Neg(a) => -value(a),
            };
            values.push(made);
        }
        for &constraint in &self.constraints {
            builder.assert_zero(values[constraint].clone());
        }
    }
}
