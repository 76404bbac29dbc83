use merklize_sys as sys;

use crate::error::Result;
use crate::hash::Word;
use crate::matrices::{all_to_c, Matrix};
use crate::options::Options;
use crate::types::{Field, RowOrder};

/// What a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A value that an earlier step wrote: slot 0 to 63.
    Slot(u32),
    /// An element of [`ConstraintForm::scalars`].
    Scalar(u32),
    /// A word of the row of the point, or of its next row.
    Cell {
        /// 0 to 2.
        matrix: u32,
        /// Below the matrix's number of columns.
        column: u32,
        /// Whether it is the next row.
        is_next: bool,
    },
}

impl Operand {
    const NUMBER_BITS: u32 = 29;

    /// A number that no program can have becomes one that the library refuses.
    fn to_c(self) -> u32 {
        let of = |kind: u32, number: u32| kind << Self::NUMBER_BITS | number.min((1 << Self::NUMBER_BITS) - 1);
        match self {
            Self::Slot(number) => of(0, number),
            Self::Scalar(number) => of(1, number),
            Self::Cell { matrix: 3.., .. } => of(0, u32::MAX),
            Self::Cell { matrix, column, is_next } => of(2 + 2 * matrix + u32::from(is_next), column),
        }
    }
}

/// A step of a program of [`evaluate_constraints`].
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct ConstraintStep(sys::merklize_constraint_step);

impl ConstraintStep {
    fn new(op: u32, to: u32, a: Operand, b: u32) -> Self {
        Self(sys::merklize_constraint_step { op, to, a: a.to_c(), b })
    }

    /// Slot `to` becomes a + b.
    pub fn add(to: u32, a: Operand, b: Operand) -> Self {
        Self::new(sys::MERKLIZE_CONSTRAINT_OP_ADD, to, a, b.to_c())
    }

    /// Slot `to` becomes a - b.
    pub fn subtract(to: u32, a: Operand, b: Operand) -> Self {
        Self::new(sys::MERKLIZE_CONSTRAINT_OP_SUBTRACT, to, a, b.to_c())
    }

    /// Slot `to` becomes a b.
    pub fn multiply(to: u32, a: Operand, b: Operand) -> Self {
        Self::new(sys::MERKLIZE_CONSTRAINT_OP_MULTIPLY, to, a, b.to_c())
    }

    /// Adds a times the weight of this number to the point's sum.
    pub fn sum(a: Operand, weight: u32) -> Self {
        Self::new(sys::MERKLIZE_CONSTRAINT_OP_SUM, 0, a, weight)
    }
}

/// The polynomials, and the points at which they are evaluated.
#[derive(Debug, Clone, Copy)]
pub struct ConstraintForm<'a, W> {
    /// The field of the words.
    pub field: Field,
    /// The order of the matrices' rows.
    pub order: RowOrder,
    /// The next row of point i is that of point i + `next`. At most the number of rows.
    pub next: u64,
    /// Up to 2^24 steps.
    pub steps: &'a [ConstraintStep],
    /// In the form of the matrices' words.
    pub scalars: &'a [W],
    /// In the same form: `degree` words a weight.
    pub weights: &'a [W],
    /// Words of a weight and of a sum, 1 to 8.
    pub degree: usize,
}

/// For each row of matrices, the sum of polynomials times weights: the constraints of a proof on a coset, folded by
/// powers of a challenge. The polynomials are a program without branches, which each point runs with 64 slots of its
/// own. The sums are in natural order, `degree` words each, in the form of the matrices' words. Matrices in a device's
/// memory are read there.
///
/// Matrices are one to three, of the same 2^k rows, with [`Elements::Any`](crate::Elements) over Goldilocks, else with
/// [`Elements::Montgomery`](crate::Elements).
///
/// ```
/// use merklize::{evaluate_constraints, ConstraintForm, ConstraintStep, Elements, Field, Matrix, Operand, Options};
/// use merklize::RowOrder;
///
/// // Each row is three times the row before it. The row after the last is the first, which is not.
/// let words = [1u64, 3, 9, 27];
/// let matrix = Matrix::new(&words, 1)?.elements(Elements::Any);
/// let cell = |is_next| Operand::Cell { matrix: 0, column: 0, is_next };
/// let steps = [
///     ConstraintStep::multiply(0, cell(false), Operand::Scalar(0)),
///     ConstraintStep::subtract(0, Operand::Slot(0), cell(true)),
///     ConstraintStep::sum(Operand::Slot(0), 0),
/// ];
/// let form = ConstraintForm {
///     field: Field::Goldilocks,
///     order: RowOrder::Natural,
///     next: 1,
///     steps: &steps,
///     scalars: &[3],
///     weights: &[1, 10],
///     degree: 2,
/// };
/// let sums = evaluate_constraints(&[matrix], &form, &Options::new())?;
/// assert_eq!(sums, [0, 0, 0, 0, 0, 0, 80, 800]);
/// # Ok::<(), merklize::Error>(())
/// ```
///
/// # Errors
/// Matrices of other forms; a step with a slot that no earlier step wrote, or with a scalar, column or weight that does
/// not exist; a scalar or a weight that is not below the modulus; `OutOfMemory`.
pub fn evaluate_constraints<W: Word + Default>(
    matrices: &[Matrix<'_, W>],
    form: &ConstraintForm<'_, W>,
    options: &Options<'_>,
) -> Result<Vec<W>> {
    // The library refuses what is beyond 8.
    let degree = form.degree.min(9);
    let mut out = vec![W::default(); matrices.first().map_or(0, Matrix::rows) * degree];
    let given = all_to_c(matrices);
    let form = sys::merklize_constraint_form {
        steps: form.steps.as_ptr().cast(),
        n_steps: form.steps.len() as u64,
        scalars: form.scalars.as_ptr().cast(),
        scalar_bytes: size_of_val(form.scalars) as u64,
        weights: form.weights.as_ptr().cast(),
        weight_bytes: size_of_val(form.weights) as u64,
        next: form.next,
        field: form.field.to_c(),
        order: form.order.to_c(),
        degree: degree as u32,
    };
    // SAFETY: all but `out` is read for the call, and no more than the bytes of `out` are written.
    options.run("evaluate_constraints", |options| unsafe {
        let (to, room) = (out.as_mut_ptr().cast(), size_of_val(&out[..]) as u64);
        sys::merklize_evaluate_constraints(given.as_ptr(), given.len(), &form, to, room, options)
    })?;
    Ok(out)
}
