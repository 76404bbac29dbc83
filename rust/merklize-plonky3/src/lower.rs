//! An AIR's constraints as a program of the library: steps over the slots of a point.

use core::ptr;
use std::collections::HashMap;

use merklize::{ConstraintStep, Operand};
use p3_field::PrimeField64;
use p3_uni_stark::{BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};

/// Slots of a point: as few as serve. With fewer a device computes more points at a time, and computes more values again.
const SLOTS: [usize; 3] = [16, 32, 64];
/// An AIR whose program would be longer is left to the processors.
const MOST_STEPS: usize = 1 << 22;

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
        numbers: HashMap::new(),
        scalars: vec![],
        scalar_numbers: HashMap::new(),
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
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Value {
    Read(Operand),
    Node(usize),
}

#[derive(Clone)]
struct Node {
    op: Op,
    operands: [Value; 2],
    /// Slots that it takes to compute it and its operands, by the rule of Sethi and Ullman for trees.
    needs: usize,
    /// Operands that it is of nodes that are to be computed, and constraints that it is.
    users: usize,
    slot: Option<usize>,
    last_used: usize,
    /// Nodes whose other operand is computed while it waits.
    waits_for: usize,
}

/// Slots that it takes to compute a value.
fn needs(nodes: &[Node], value: Value) -> usize {
    match value {
        Value::Read(_) => 0,
        Value::Node(number) => nodes[number].needs,
    }
}

/// The expressions of constraints. Equal ones are one node, wherever they lie: a prover's expressions are values, and
/// each use of one is a copy.
struct Graph<'a, F> {
    /// Operands come before the nodes that they are of.
    nodes: Vec<Node>,
    numbers: HashMap<(Op, [Value; 2]), usize>,
    scalars: Vec<F>,
    scalar_numbers: HashMap<u64, u32>,
    selectors: Vec<Selector>,
    /// The number of the matrix with the selectors.
    selector_matrix: u32,
    public_values: &'a [F],
}

impl<F: PrimeField64> Graph<'_, F> {
    /// Without recursion: a stack may be too small for a deep expression.
    fn values(&mut self, constraints: &[SymbolicExpression<F>]) -> Result<Vec<Value>, &'static str> {
        let mut values: HashMap<*const SymbolicExpression<F>, Value> = HashMap::new();
        for constraint in constraints {
            let mut open = vec![(constraint, false)];
            while let Some((node, has_operands)) = open.pop() {
                let place = ptr::from_ref(node);
                if values.contains_key(&place) {
                    continue;
                }
                let (op, x, y) = match node {
                    SymbolicExpr::Leaf(leaf) => {
                        values.insert(place, Value::Read(self.leaf(leaf)?));
                        continue;
                    }
                    SymbolicExpr::Neg { x, .. } => (Op::Subtract, None, x),
                    SymbolicExpr::Add { x, y, .. } => (Op::Add, Some(x), y),
                    SymbolicExpr::Sub { x, y, .. } => (Op::Subtract, Some(x), y),
                    SymbolicExpr::Mul { x, y, .. } => (Op::Multiply, Some(x), y),
                };
                if has_operands {
                    let of = |x| values[&ptr::from_ref::<SymbolicExpression<F>>(x)];
                    let x = x.map_or_else(|| Value::Read(self.scalar(F::ZERO)), |x| of(x));
                    let value = self.node(op, [x, of(y)]);
                    values.insert(place, value);
                } else {
                    open.push((node, true));
                    open.extend(x.into_iter().chain([y]).map(|operand| (&**operand, false)));
                }
            }
        }
        Ok(constraints.iter().map(|constraint| values[&ptr::from_ref(constraint)]).collect())
    }

    fn node(&mut self, op: Op, operands: [Value; 2]) -> Value {
        let [a, b] = operands;
        if let (Value::Read(Operand::Scalar(a)), Value::Read(Operand::Scalar(b))) = (a, b) {
            let (a, b) = (self.scalars[a as usize], self.scalars[b as usize]);
            return Value::Read(self.scalar(match op {
                Op::Add => a + b,
                Op::Subtract => a - b,
                Op::Multiply => a * b,
            }));
        }
        let same = self.numbers.get(&(op, [a, b]));
        if let Some(&same) = same.or_else(|| self.numbers.get(&(op, [b, a])).filter(|_| op != Op::Subtract)) {
            return Value::Node(same);
        }
        let [of_a, of_b] = operands.map(|operand| needs(&self.nodes, operand));
        let needs = if a != b && of_a == of_b { of_a + 1 } else { of_a.max(of_b).max(1) };
        self.numbers.insert((op, operands), self.nodes.len());
        self.nodes.push(Node { op, operands, needs, users: 0, slot: None, last_used: 0, waits_for: 0 });
        Value::Node(self.nodes.len() - 1)
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
    slots: Vec<Option<usize>>,
    now: usize,
}

impl Schedule {
    fn steps(nodes: Vec<Node>, values: &[Value], n_slots: usize) -> Result<Vec<ConstraintStep>, &'static str> {
        let mut schedule = Self { nodes, steps: vec![], slots: vec![None; n_slots], now: 0 };
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
            return Err("its program would have too many steps");
        }
        self.steps.push(step);
        Ok(())
    }

    fn is_computed(&self, value: Value) -> bool {
        match value {
            Value::Read(_) => true,
            Value::Node(number) => self.nodes[number].slot.is_some(),
        }
    }

    fn operand(&self, value: Value) -> Operand {
        match value {
            Value::Read(operand) => operand,
            Value::Node(number) => Operand::Slot(self.nodes[number].slot.expect("it is computed first") as u32),
        }
    }

    /// A value has one user more. If nothing wanted it until now, neither did it want its operands.
    fn wants(&mut self, value: Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let Value::Node(number) = value else { continue };
            let node = &mut self.nodes[number];
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
            let [a, b] = self.nodes[number].operands;
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

    fn waits_for(&mut self, value: Value, changed: impl FnOnce(usize) -> usize) {
        if let Value::Node(number) = value {
            self.nodes[number].waits_for = changed(self.nodes[number].waits_for);
        }
    }

    fn emit(&mut self, number: usize) -> Result<(), &'static str> {
        let Node { op, operands: [a, b], .. } = self.nodes[number];
        let of_step = [self.operand(a), self.operand(b)];
        self.use_once(a);
        self.use_once(b);
        let slot = self.free_slot()?;
        let step = match op {
            Op::Add => ConstraintStep::add,
            Op::Subtract => ConstraintStep::subtract,
            Op::Multiply => ConstraintStep::multiply,
        };
        self.push(step(slot as u32, of_step[0], of_step[1]))?;
        self.slots[slot] = Some(number);
        (self.nodes[number].slot, self.nodes[number].last_used) = (Some(slot), self.now);
        Ok(())
    }

    fn use_once(&mut self, value: Value) {
        let Value::Node(number) = value else { return };
        self.now += 1;
        let node = &mut self.nodes[number];
        node.users -= 1;
        node.last_used = self.now;
        if node.users == 0 {
            self.slots[node.slot.take().expect("it is computed")] = None;
        }
    }

    /// A slot without a value, or with the value that was used the longest ago and is not waited for.
    fn free_slot(&mut self) -> Result<usize, &'static str> {
        if let Some(free) = self.slots.iter().position(Option::is_none) {
            return Ok(free);
        }
        let all = self.slots.iter().flatten().copied().filter(|&number| self.nodes[number].waits_for == 0);
        let oldest = all.min_by_key(|&number| self.nodes[number].last_used);
        let oldest = oldest.ok_or("a constraint needs more slots than there are")?;
        let slot = self.nodes[oldest].slot.take().expect("it has one");
        for operand in self.nodes[oldest].operands {
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
