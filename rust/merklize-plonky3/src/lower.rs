//! An AIR's constraints as a program of the library: steps over the slots of a point.

use core::hash::{BuildHasherDefault, Hasher};
use core::ptr;
use std::collections::HashMap;
use std::sync::Arc;

use merklize::{ConstraintStep, Operand};
use p3_field::PrimeField64;
use p3_uni_stark::{BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};

/// Slots of a point: as few as serve. With fewer a device computes more points at a time, but more values again.
const SLOTS: [u32; 3] = [16, 32, 64];
/// An AIR whose program would be longer is left to the processors.
const MOST_STEPS: usize = 1 << 22;
const TOO_LONG: &str = "its program would have too many steps";

/// A column of the matrix that the host makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Selector {
    IsFirstRow,
    IsLastRow,
    IsTransition,
    Periodic(usize),
}

/// Constraint i is added up with weight i.
pub(crate) struct Program<F> {
    pub steps: Vec<ConstraintStep>,
    pub scalars: Vec<F>,
    /// The columns of the matrix that the host makes: those that steps read. If there are none, there is no such
    /// matrix.
    pub selectors: Vec<Selector>,
}

/// The program of constraints over the matrices of a proof: the trace, the preprocessed columns if there are any, and
/// selectors with periodic columns.
///
/// # Errors
/// Why there is no program.
pub(crate) fn lower<F: PrimeField64>(
    constraints: &[SymbolicExpression<F>],
    has_preprocessed: bool,
    public_values: &[F],
) -> Result<Program<F>, &'static str> {
    let mut graph = Graph {
        nodes: vec![],
        numbers: Numbers::default(),
        scalars: vec![],
        scalar_numbers: Numbers::default(),
        selectors: vec![],
        selector_matrix: 1 + u32::from(has_preprocessed),
        public_values,
    };
    let values = graph.values(constraints)?;
    let [few @ .., most] = SLOTS;
    let worthwhile = (graph.nodes.len() + values.len()) * 5 / 4;
    let by_few = few.iter().find_map(|&slots| {
        let steps = Schedule::steps(graph.nodes.clone(), &values, slots);
        steps.ok().filter(|steps| steps.len() <= worthwhile)
    });
    let steps = by_few.map_or_else(|| Schedule::steps(graph.nodes, &values, most), Ok)?;
    Ok(Program { steps, scalars: graph.scalars, selectors: graph.selectors })
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Op {
    Add,
    Subtract,
    Multiply,
}

/// What a step reads where it lies, or what another step computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Read(Operand),
    Node(u32),
}

impl Value {
    /// Another number for each value.
    fn code(self) -> u64 {
        let of = |kind: u64, number: u32| kind << 32 | u64::from(number);
        match self {
            Self::Node(number) => of(0, number),
            Self::Read(Operand::Slot(number)) => of(1, number),
            Self::Read(Operand::Scalar(number)) => of(2, number),
            Self::Read(Operand::Cell { matrix, column, is_next }) => {
                of(4 + 2 * u64::from(matrix) + u64::from(is_next), column)
            }
        }
    }
}

/// Numbers are looked up several times an expression, so their hash is a product. Nobody gains by making an AIR of
/// expressions that collide.
#[derive(Default)]
struct Product(u64);

impl Hasher for Product {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }
    fn write_u64(&mut self, number: u64) {
        let product = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

type Numbers<K, V> = HashMap<K, V, BuildHasherDefault<Product>>;

#[derive(Clone)]
struct Node {
    op: Op,
    operands: [Value; 2],
    /// Slots that it takes to compute it and its operands, by the rule of Sethi and Ullman for trees.
    needs: u32,
    /// Operands that it is of nodes that are to be computed, and constraints that it is.
    users: u32,
    slot: Option<u8>,
    last_used: u32,
    /// Nodes whose other operand is computed while it waits.
    waits_for: u32,
}

/// Slots that it takes to compute a value.
fn needs(nodes: &[Node], value: Value) -> u32 {
    match value {
        Value::Read(_) => 0,
        Value::Node(number) => nodes[number as usize].needs,
    }
}

/// What is left to do for an expression.
enum Task<'a, F> {
    Value(&'a SymbolicExpression<F>, IsShared),
    /// Its step, when its operands have values. With its place, if it is shared.
    Step(Op, HasTwoOperands, Option<*const SymbolicExpression<F>>),
}
type IsShared = bool;
type HasTwoOperands = bool;

/// The expressions of constraints. Equal ones are one node, wherever they lie: a prover's expressions are values, and
/// each use of one is a copy.
struct Graph<'a, F> {
    /// Operands come before the nodes that they are of.
    nodes: Vec<Node>,
    numbers: Numbers<(u64, u64, u64), u32>,
    scalars: Vec<F>,
    scalar_numbers: Numbers<u64, u32>,
    selectors: Vec<Selector>,
    /// The number of the matrix with the selectors.
    selector_matrix: u32,
    public_values: &'a [F],
}

impl<F: PrimeField64> Graph<'_, F> {
    /// Without recursion: a stack may be too small for a deep expression.
    fn values<'a>(&mut self, constraints: &'a [SymbolicExpression<F>]) -> Result<Vec<Value>, &'static str> {
        // Those of shared expressions.
        let mut known: Numbers<*const SymbolicExpression<F>, Value> = Numbers::default();
        let mut values = vec![];
        let mut tasks = vec![];
        for constraint in constraints {
            tasks.push(Task::Value(constraint, false));
            while let Some(task) = tasks.pop() {
                let (expression, is_shared) = match task {
                    Task::Value(expression, is_shared) => (expression, is_shared),
                    Task::Step(op, has_two, place) => {
                        let b = values.pop().expect("a step comes after its operands");
                        let a = if has_two { values.pop() } else { Some(Value::Read(self.scalar(F::ZERO))) };
                        let value = self.node(op, [a.expect("it has two"), b])?;
                        known.extend(place.map(|place| (place, value)));
                        values.push(value);
                        continue;
                    }
                };
                let place = is_shared.then(|| ptr::from_ref(expression));
                if let Some(&value) = place.and_then(|place| known.get(&place)) {
                    values.push(value);
                    continue;
                }
                let (op, x, y) = match expression {
                    SymbolicExpr::Leaf(leaf) => {
                        values.push(Value::Read(self.leaf(leaf)?));
                        continue;
                    }
                    SymbolicExpr::Neg { x, .. } => (Op::Subtract, None, x),
                    SymbolicExpr::Add { x, y, .. } => (Op::Add, Some(x), y),
                    SymbolicExpr::Sub { x, y, .. } => (Op::Subtract, Some(x), y),
                    SymbolicExpr::Mul { x, y, .. } => (Op::Multiply, Some(x), y),
                };
                tasks.push(Task::Step(op, x.is_some(), place));
                let task = |operand: &'a Arc<_>| Task::Value(&**operand, Arc::strong_count(operand) > 1);
                tasks.push(task(y));
                if let Some(x) = x {
                    tasks.push(task(x));
                }
            }
        }
        Ok(values)
    }

    fn node(&mut self, op: Op, operands: [Value; 2]) -> Result<Value, &'static str> {
        let [a, b] = operands;
        if let (Value::Read(Operand::Scalar(a)), Value::Read(Operand::Scalar(b))) = (a, b) {
            let (a, b) = (self.scalars[a as usize], self.scalars[b as usize]);
            return Ok(Value::Read(self.scalar(match op {
                Op::Add => a + b,
                Op::Subtract => a - b,
                Op::Multiply => a * b,
            })));
        }
        let number = u32::try_from(self.nodes.len()).map_err(|_| TOO_LONG)?;
        let (of_a, of_b) = (a.code(), b.code());
        let (low, high) = if op == Op::Subtract { (of_a, of_b) } else { (of_a.min(of_b), of_a.max(of_b)) };
        let same = *self.numbers.entry((op as u64, low, high)).or_insert(number);
        if same == number {
            let [of_a, of_b] = operands.map(|operand| needs(&self.nodes, operand));
            let needs = if a != b && of_a == of_b { of_a + 1 } else { of_a.max(of_b).max(1) };
            self.nodes.push(Node { op, operands, needs, users: 0, slot: None, last_used: 0, waits_for: 0 });
        }
        Ok(Value::Node(same))
    }

    fn leaf(&mut self, leaf: &BaseLeaf<F>) -> Result<Operand, &'static str> {
        let cell = |matrix, offset, index| match offset {
            0 | 1 => Ok(Operand::Cell { matrix, column: index as u32, is_next: offset == 1 }),
            _ => Err("a constraint spans more than two rows"),
        };
        Ok(match leaf {
            BaseLeaf::Constant(value) => self.scalar(*value),
            BaseLeaf::IsFirstRow => self.selector(Selector::IsFirstRow),
            BaseLeaf::IsLastRow => self.selector(Selector::IsLastRow),
            BaseLeaf::IsTransition => self.selector(Selector::IsTransition),
            BaseLeaf::Variable(variable) => match variable.entry {
                BaseEntry::Main { offset } => cell(0, offset, variable.index)?,
                BaseEntry::Preprocessed { offset } => cell(1, offset, variable.index)?,
                BaseEntry::Periodic => self.selector(Selector::Periodic(variable.index)),
                BaseEntry::Public => {
                    let value = self.public_values.get(variable.index).ok_or("a public value is not there")?;
                    self.scalar(*value)
                }
            },
        })
    }

    fn selector(&mut self, selector: Selector) -> Operand {
        let column = self.selectors.iter().position(|&other| other == selector).unwrap_or_else(|| {
            self.selectors.push(selector);
            self.selectors.len() - 1
        });
        Operand::Cell { matrix: self.selector_matrix, column: column as u32, is_next: false }
    }

    fn scalar(&mut self, value: F) -> Operand {
        let scalars = &mut self.scalars;
        let number = self.scalar_numbers.entry(value.as_canonical_u64()).or_insert_with(|| {
            scalars.push(value);
            scalars.len() as u32 - 1
        });
        Operand::Scalar(*number)
    }
}

/// Nodes are computed when they are wanted. A value stays in its slot as long as it has users and there is room, and is
/// computed again otherwise.
struct Schedule {
    nodes: Vec<Node>,
    steps: Vec<ConstraintStep>,
    /// The nodes in used slots.
    slots: Vec<u32>,
    /// A bit for each. The bits beyond the last slot are set, too.
    used_slots: u64,
    now: u32,
}

impl Schedule {
    fn steps(nodes: Vec<Node>, values: &[Value], n_slots: u32) -> Result<Vec<ConstraintStep>, &'static str> {
        let steps = Vec::with_capacity(nodes.len() + values.len());
        let used_slots = u64::MAX.checked_shl(n_slots).unwrap_or(0);
        let mut schedule = Self { nodes, steps, slots: vec![0; n_slots as usize], used_slots, now: 0 };
        for &value in values {
            schedule.wants(value);
        }
        for (number, &value) in values.iter().enumerate() {
            schedule.compute(value)?;
            schedule.push(ConstraintStep::sum(schedule.operand(value), number as u32))?;
            schedule.use_once(value);
        }
        Ok(schedule.steps)
    }

    fn push(&mut self, step: ConstraintStep) -> Result<(), &'static str> {
        if self.steps.len() == MOST_STEPS {
            return Err(TOO_LONG);
        }
        self.steps.push(step);
        Ok(())
    }

    fn is_computed(&self, value: Value) -> bool {
        match value {
            Value::Read(_) => true,
            Value::Node(number) => self.nodes[number as usize].slot.is_some(),
        }
    }

    fn operand(&self, value: Value) -> Operand {
        match value {
            Value::Read(operand) => operand,
            Value::Node(number) => {
                Operand::Slot(self.nodes[number as usize].slot.expect("it is computed first").into())
            }
        }
    }

    /// A value has one user more. If nothing wanted it until now, neither did it want its operands.
    fn wants(&mut self, value: Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let Value::Node(number) = value else { continue };
            let node = &mut self.nodes[number as usize];
            node.users += 1;
            if node.users == 1 && node.slot.is_none() {
                open.extend(node.operands);
            }
        }
    }

    /// Puts a value into a slot, unless steps read it where it lies. Of two operands that with the greater need comes
    /// first, so that few wait.
    fn compute(&mut self, value: Value) -> Result<(), &'static str> {
        let mut open = vec![(value, 0)];
        while let Some((value, n_computed)) = open.pop() {
            let Value::Node(number) = value else { continue };
            if n_computed == 0 && self.is_computed(value) {
                continue;
            }
            let [a, b] = self.nodes[number as usize].operands;
            let is_first = needs(&self.nodes, a) >= needs(&self.nodes, b);
            let [first, second] = if is_first { [a, b] } else { [b, a] };
            match n_computed {
                0 => open.extend([(value, 1), (first, 0)]),
                1 => {
                    self.waits_for(first, |nodes| nodes + 1);
                    open.extend([(value, 2), (second, 0)]);
                }
                _ => {
                    self.waits_for(first, |nodes| nodes - 1);
                    self.emit(number)?;
                }
            }
        }
        Ok(())
    }

    fn waits_for(&mut self, value: Value, changed: impl FnOnce(u32) -> u32) {
        if let Value::Node(number) = value {
            let node = &mut self.nodes[number as usize];
            node.waits_for = changed(node.waits_for);
        }
    }

    fn emit(&mut self, number: u32) -> Result<(), &'static str> {
        let Node { op, operands: [a, b], .. } = self.nodes[number as usize];
        let of_step = [self.operand(a), self.operand(b)];
        self.use_once(a);
        self.use_once(b);
        let slot = self.free_slot()?;
        let step = match op {
            Op::Add => ConstraintStep::add,
            Op::Subtract => ConstraintStep::subtract,
            Op::Multiply => ConstraintStep::multiply,
        };
        self.push(step(slot.into(), of_step[0], of_step[1]))?;
        self.slots[usize::from(slot)] = number;
        self.used_slots |= 1 << slot;
        let node = &mut self.nodes[number as usize];
        (node.slot, node.last_used) = (Some(slot), self.now);
        Ok(())
    }

    fn use_once(&mut self, value: Value) {
        let Value::Node(number) = value else { return };
        self.now += 1;
        let node = &mut self.nodes[number as usize];
        node.users -= 1;
        node.last_used = self.now;
        if node.users == 0 {
            self.used_slots &= !(1 << node.slot.take().expect("it is computed"));
        }
    }

    /// A slot without a value, or with the value that was used the longest ago and is not waited for.
    fn free_slot(&mut self) -> Result<u8, &'static str> {
        if self.used_slots != u64::MAX {
            return Ok(self.used_slots.trailing_ones() as u8);
        }
        let all = self.slots.iter().map(|&number| number as usize);
        let not_waited_for = all.filter(|&number| self.nodes[number].waits_for == 0);
        let oldest = not_waited_for.min_by_key(|&number| self.nodes[number].last_used);
        let oldest = &mut self.nodes[oldest.ok_or("a constraint needs more slots than there are")?];
        let slot = oldest.slot.take().expect("it has one");
        for operand in oldest.operands {
            self.wants(operand);
        }
        Ok(slot)
    }
}

#[cfg(test)]
mod tests {
    use p3_air::symbolic::{AirLayout, SymbolicAirBuilder};
    use p3_air::Air;
    use p3_blake3_air::Blake3Air;
    use p3_goldilocks::{GenericPoseidon2LinearLayersGoldilocks, Goldilocks};
    use p3_keccak_air::KeccakAir;
    use p3_koala_bear::{GenericPoseidon2LinearLayersKoalaBear, KoalaBear};
    use p3_poseidon2_air::{Poseidon2Air, RoundConstants, VectorizedPoseidon2Air};
    use p3_sha256_air::Sha256Air;
    use rand::rngs::SmallRng;
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn constraints_are_steps_too() {
        let steps = |n| {
            let constraints = vec![SymbolicExpr::Leaf(BaseLeaf::IsFirstRow); n];
            lower::<KoalaBear>(&constraints, false, &[]).map(|program| program.steps.len())
        };
        assert_eq!(steps(MOST_STEPS), Ok(MOST_STEPS));
        assert_eq!(steps(MOST_STEPS + 1), Err("its program would have too many steps"));
    }

    /// The AIRs of Plonky3 have programs of at most so many steps: about one for each constraint and for each operation
    /// that differs from all others.
    #[test]
    fn steps_of_the_airs_of_plonky3() {
        fn has_at_most<F: PrimeField64>(most: usize, air: &impl Air<SymbolicAirBuilder<F>>) {
            let mut builder = SymbolicAirBuilder::<F>::new(AirLayout::from_air(air));
            air.eval(&mut builder);
            let steps = lower(&builder.base_constraints(), false, &[]).unwrap().steps.len();
            assert!(steps <= most, "{}: {steps} steps", std::any::type_name_of_val(air));
        }
        let rng = || SmallRng::seed_from_u64(1);
        type OfKoalaBear<const WIDTH: usize, const ROUNDS: usize> =
            Poseidon2Air<KoalaBear, GenericPoseidon2LinearLayersKoalaBear, WIDTH, 3, 0, 4, ROUNDS>;
        type Vectorized = VectorizedPoseidon2Air<KoalaBear, GenericPoseidon2LinearLayersKoalaBear, 16, 3, 0, 4, 20, 8>;
        type OfGoldilocks<const WIDTH: usize, const REGISTERS: usize> =
            Poseidon2Air<Goldilocks, GenericPoseidon2LinearLayersGoldilocks, WIDTH, 7, REGISTERS, 4, 22>;
        has_at_most::<Goldilocks>(42_500, &KeccakAir {});
        has_at_most::<KoalaBear>(42_500, &KeccakAir {});
        has_at_most::<KoalaBear>(95_000, &Blake3Air {});
        has_at_most::<KoalaBear>(154_000, &Sha256Air);
        has_at_most(2_400, &OfKoalaBear::<16, 20>::new(RoundConstants::from_rng(&mut rng())));
        has_at_most(3_800, &OfKoalaBear::<24, 23>::new(RoundConstants::from_rng(&mut rng())));
        has_at_most(19_000, &Vectorized::new(RoundConstants::from_rng(&mut rng())));
        has_at_most(1_400, &OfGoldilocks::<8, 0>::new(RoundConstants::from_rng(&mut rng())));
        has_at_most(2_300, &OfGoldilocks::<12, 1>::new(RoundConstants::from_rng(&mut rng())));
    }
}
