//! An AIR's constraints as a program of the library: steps over the slots of a point.

use core::ptr;
use std::collections::{HashMap, HashSet};

use merklize::{ConstraintStep, Operand};
use p3_field::PrimeField64;
use p3_uni_stark::{BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};

/// Slots of a point.
const SLOTS: usize = 64;
/// An AIR whose program would be longer is left to the processors.
const MOST_STEPS: usize = 1 << 22;

/// Columns of the matrix that the host makes: the selectors, then those of periodic columns.
pub(crate) const IS_FIRST_ROW: usize = 0;
pub(crate) const IS_LAST_ROW: usize = 1;
pub(crate) const IS_TRANSITION: usize = 2;
pub(crate) const SELECTORS: usize = 3;

/// Constraint i is added up with weight i.
pub(crate) struct Program<F> {
    pub steps: Vec<ConstraintStep>,
    pub scalars: Vec<F>,
}

/// The program of constraints over the matrices of a proof: the trace, the preprocessed columns if there are any, and
/// selectors with periodic columns.
///
/// A value that several constraints need stays in its slot as long as there is room, and else is computed again.
///
/// # Errors
/// Why there is no program.
pub(crate) fn lower<F: PrimeField64>(
    constraints: &[SymbolicExpression<F>],
    has_preprocessed: bool,
    public_values: &[F],
) -> Result<Program<F>, &'static str> {
    let program = Program { steps: vec![], scalars: vec![] };
    let mut lowering = Lowering {
        program,
        scalars: HashMap::new(),
        selectors: 1 + u32::from(has_preprocessed),
        public_values,
        nodes: HashMap::new(),
        slots: [const { None }; SLOTS],
        now: 0,
    };
    lowering.count_users(constraints);
    for (number, constraint) in constraints.iter().enumerate() {
        let steps = lowering.program.steps.len();
        lowering.compute(constraint).or_else(|_| lowering.compute_alone(constraint, steps))?;
        let value = lowering.operand(constraint)?;
        lowering.push(ConstraintStep::sum(value, number as u32))?;
        lowering.use_once(constraint);
    }
    Ok(lowering.program)
}

/// A node of the expressions is known by its place, since shared ones are one node.
type Place<F> = *const SymbolicExpression<F>;

#[derive(Default)]
struct Node {
    /// Nodes that have it as an operand and are not computed yet, and constraints that it is.
    users: usize,
    /// Of these, those that the current constraint waits for.
    waiting: usize,
    slot: Option<usize>,
    last_used: usize,
}

struct Lowering<'a, F: PrimeField64> {
    program: Program<F>,
    scalars: HashMap<u64, u32>,
    /// The number of the matrix with the selectors.
    selectors: u32,
    public_values: &'a [F],
    nodes: HashMap<Place<F>, Node>,
    slots: [Option<Place<F>>; SLOTS],
    now: usize,
}

/// The operands of a node. A leaf has none.
fn operands<F>(node: &SymbolicExpression<F>) -> [Option<&SymbolicExpression<F>>; 2] {
    match node {
        SymbolicExpr::Leaf(_) => [None, None],
        SymbolicExpr::Neg { x, .. } => [Some(x), None],
        SymbolicExpr::Add { x, y, .. } | SymbolicExpr::Sub { x, y, .. } | SymbolicExpr::Mul { x, y, .. } => {
            [Some(x), Some(y)]
        }
    }
}

fn inner_operands<F>(node: &SymbolicExpression<F>) -> impl Iterator<Item = &SymbolicExpression<F>> {
    operands(node).into_iter().flatten().filter(|node| !matches!(node, SymbolicExpr::Leaf(_)))
}

impl<'a, F: PrimeField64> Lowering<'a, F> {
    fn node(&mut self, node: &SymbolicExpression<F>) -> &mut Node {
        self.nodes.entry(ptr::from_ref(node)).or_default()
    }

    fn count_users(&mut self, constraints: &[SymbolicExpression<F>]) {
        let is_leaf = |node: &SymbolicExpression<F>| matches!(node, SymbolicExpr::Leaf(_));
        let mut open: Vec<_> = constraints.iter().filter(|constraint| !is_leaf(constraint)).collect();
        while let Some(node) = open.pop() {
            let of_node = self.node(node);
            of_node.users += 1;
            if of_node.users == 1 {
                open.extend(inner_operands(node));
            }
        }
    }

    fn push(&mut self, step: ConstraintStep) -> Result<(), &'static str> {
        if self.program.steps.len() == MOST_STEPS {
            return Err("its program would have too many steps");
        }
        self.program.steps.push(step);
        Ok(())
    }

    /// Computes it after the first `steps` steps without the values of other constraints, whose slots it may need.
    fn compute_alone(&mut self, root: &SymbolicExpression<F>, steps: usize) -> Result<(), &'static str> {
        self.program.steps.truncate(steps);
        for place in self.slots.iter_mut().filter_map(Option::take) {
            self.nodes.get_mut(&place).expect("it has a value").slot = None;
        }
        self.compute(root)
    }

    /// Puts the value of an expression into a slot, unless it is a leaf.
    fn compute(&mut self, root: &SymbolicExpression<F>) -> Result<(), &'static str> {
        if matches!(root, SymbolicExpr::Leaf(_)) {
            return Ok(());
        }
        let order = self.order(root);
        for node in &order {
            self.node(node).waiting = 0; // what failed before has left
        }
        for node in &order {
            for operand in inner_operands(node) {
                self.node(operand).waiting += 1;
            }
        }
        self.node(root).waiting += 1;
        for node in order {
            let [a, b] = operands(node);
            let a = self.operand(a.expect("an inner node"))?;
            let b = b.map(|b| self.operand(b)).transpose()?;
            for operand in inner_operands(node) {
                self.node(operand).waiting -= 1;
                self.use_once(operand);
            }
            let to = self.free_slot()?;
            let slot = to as u32;
            let step = match (node, b) {
                (SymbolicExpr::Add { .. }, Some(b)) => ConstraintStep::add(slot, a, b),
                (SymbolicExpr::Sub { .. }, Some(b)) => ConstraintStep::subtract(slot, a, b),
                (SymbolicExpr::Mul { .. }, Some(b)) => ConstraintStep::multiply(slot, a, b),
                _ => ConstraintStep::subtract(slot, self.scalar(F::ZERO), a),
            };
            self.push(step)?;
            self.slots[to] = Some(ptr::from_ref(node));
            let now = self.now;
            let of_node = self.node(node);
            (of_node.slot, of_node.last_used) = (Some(to), now);
        }
        self.node(root).waiting -= 1;
        Ok(())
    }

    /// The nodes of an expression that are in no slot, operands before their users. Of two operands that with the
    /// deeper expression comes first, so that fewer values wait.
    fn order<'b>(&self, root: &'b SymbolicExpression<F>) -> Vec<&'b SymbolicExpression<F>> {
        let is_known =
            |node: &SymbolicExpression<F>| self.nodes.get(&ptr::from_ref(node)).is_some_and(|node| node.slot.is_some());
        // Slots that an expression needs, by the rule of Sethi and Ullman for trees.
        let mut needs: HashMap<Place<F>, usize> = HashMap::new();
        let need = |needs: &HashMap<Place<F>, usize>, node: &SymbolicExpression<F>| {
            needs.get(&ptr::from_ref(node)).copied().unwrap_or(0)
        };
        let walk = |needs: &mut HashMap<Place<F>, usize>, is_deepest_first: bool| {
            let mut order = vec![];
            let mut seen: HashSet<Place<F>> = HashSet::new();
            let mut open = vec![(root, false)];
            while let Some((node, is_entered)) = open.pop() {
                if is_entered {
                    let mut of_operands = inner_operands(node).map(|operand| need(needs, operand));
                    let (a, b) = (of_operands.next().unwrap_or(0), of_operands.next().unwrap_or(0));
                    needs.insert(ptr::from_ref(node), if a == b { a + 1 } else { a.max(b) });
                    order.push(node);
                    continue;
                }
                if is_known(node) || !seen.insert(ptr::from_ref(node)) {
                    continue;
                }
                open.push((node, true));
                let mut inner: Vec<_> = inner_operands(node).collect();
                if is_deepest_first {
                    // The last one is taken first.
                    inner.sort_by_key(|operand| need(needs, operand));
                }
                open.extend(inner.into_iter().map(|operand| (operand, false)));
            }
            order
        };
        walk(&mut needs, false);
        walk(&mut needs, true)
    }

    fn use_once(&mut self, node: &SymbolicExpression<F>) {
        if matches!(node, SymbolicExpr::Leaf(_)) {
            return;
        }
        self.now += 1;
        let now = self.now;
        let of_node = self.node(node);
        of_node.users = of_node.users.saturating_sub(1);
        of_node.last_used = now;
        if of_node.users == 0 && of_node.waiting == 0 {
            if let Some(slot) = of_node.slot.take() {
                self.slots[slot] = None;
            }
        }
    }

    /// A slot without a value, or with the value that was used the longest ago and is not waited for.
    fn free_slot(&mut self) -> Result<usize, &'static str> {
        if let Some(free) = self.slots.iter().position(Option::is_none) {
            return Ok(free);
        }
        let of = |slot: &usize| &self.nodes[&self.slots[*slot].expect("no slot is free")];
        let oldest = (0..SLOTS).filter(|slot| of(slot).waiting == 0).min_by_key(|slot| of(slot).last_used);
        let oldest = oldest.ok_or("a constraint needs more slots than there are")?;
        let place = self.slots[oldest].take().expect("no slot is free");
        self.nodes.get_mut(&place).expect("it has a value").slot = None;
        Ok(oldest)
    }

    fn operand(&mut self, node: &SymbolicExpression<F>) -> Result<Operand, &'static str> {
        let SymbolicExpr::Leaf(leaf) = node else {
            return Ok(Operand::Slot(self.node(node).slot.expect("operands are computed first") as u32));
        };
        let selectors = self.selectors;
        let selector = |column: usize| Operand::Cell { matrix: selectors, column: column as u32, is_next: false };
        let cell = |matrix, offset, index| match offset {
            0 | 1 => Ok(Operand::Cell { matrix, column: index as u32, is_next: offset == 1 }),
            _ => Err("a constraint spans more than two rows"),
        };
        Ok(match leaf {
            BaseLeaf::Constant(value) => self.scalar(*value),
            BaseLeaf::IsFirstRow => selector(IS_FIRST_ROW),
            BaseLeaf::IsLastRow => selector(IS_LAST_ROW),
            BaseLeaf::IsTransition => selector(IS_TRANSITION),
            BaseLeaf::Variable(variable) => match variable.entry {
                BaseEntry::Main { offset } => cell(0, offset, variable.index)?,
                BaseEntry::Preprocessed { offset } => cell(1, offset, variable.index)?,
                BaseEntry::Periodic => selector(SELECTORS + variable.index),
                BaseEntry::Public => {
                    let value = self.public_values.get(variable.index).ok_or("a public value is not there")?;
                    self.scalar(*value)
                }
            },
        })
    }

    fn scalar(&mut self, value: F) -> Operand {
        let scalars = &mut self.program.scalars;
        let number = self.scalars.entry(value.as_canonical_u64()).or_insert_with(|| {
            scalars.push(value);
            scalars.len() as u32 - 1
        });
        Operand::Scalar(*number)
    }
}

#[cfg(test)]
mod tests {
    use p3_koala_bear::KoalaBear;

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
}
