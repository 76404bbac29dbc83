//! Extensions beside p3-dft's.

use merklize::*;
use serde_json::Value;

const GOLDILOCKS: u64 = 0xffff_ffff_0000_0001;
const BABYBEAR: u64 = 0x7800_0001;
const KOALABEAR: u64 = 0x7f00_0001;

/// What p3-dft computes.
const RECORDED: &str = include_str!("p3_extensions.json");

/// The words of a recorded matrix.
fn recorded<W: Word + TryFrom<u64, Error: core::fmt::Debug>>(n: u64, p: u64) -> Vec<W> {
    (1..=n).map(|i| W::try_from(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % p).unwrap()).collect()
}

fn check<W>(case: &Value, field: Field, p: u64)
where
    W: Word + Default + TryFrom<u64, Error: core::fmt::Debug> + Into<u64>,
{
    let number = |key: &str| case[key].as_u64().unwrap();
    let (rows, columns) = (number("rows"), number("columns") as usize);
    let words = recorded::<W>(rows * columns as u64, p);
    let matrix = Matrix::new(&words, columns).unwrap();
    let form = ExtendForm::new(field, number("added_bits") as u32).shift(number("shift"));
    for (order, key) in [(RowOrder::Natural, "natural"), (RowOrder::BitReversed, "bit_reversed")] {
        let extended = extend(matrix, form.order(order), &Options::new()).unwrap();
        let first: Vec<u64> = extended[..columns].iter().map(|&word| word.into()).collect();
        assert_eq!(Value::from(first), case["first"]);
        let bytes: Vec<u8> =
            extended.iter().flat_map(|&word| word.into().to_le_bytes()[..size_of::<W>()].to_vec()).collect();
        let digest = hash_with(&bytes, Hash::SHA256, &Options::new()).unwrap();
        assert_eq!(digest.to_string(), case[key].as_str().unwrap(), "{case}");

        let mut into = vec![W::default(); extended.len()];
        extend_into(matrix, form.order(order), &mut into, &Options::new().threads(1)).unwrap();
        assert!(into.iter().zip(&extended).all(|(&one, &other)| one.into() == other.into()));
    }
}

#[test]
fn what_p3_dft_computes() {
    let file: Value = serde_json::from_str(RECORDED).unwrap();
    let cases = file["extensions"].as_array().unwrap();
    assert_eq!(cases.len(), 108);
    for case in cases {
        match case["field"].as_str().unwrap() {
            "goldilocks" => check::<u64>(case, Field::Goldilocks, GOLDILOCKS),
            "babybear" => check::<u32>(case, Field::BabyBear, BABYBEAR),
            _ => check::<u32>(case, Field::KoalaBear, KOALABEAR),
        }
    }
}

/// The generator is the shift where none is given, and a view of columns has a stride of its own.
#[test]
fn defaults_and_views() {
    let words = recorded::<u32>(4 * 5, KOALABEAR);
    let (matrix, form) = (Matrix::new(&words, 5).unwrap(), ExtendForm::new(Field::KoalaBear, 3));
    let whole = extend(matrix, form, &Options::new()).unwrap();
    assert_eq!(whole, extend(matrix, form.shift(3), &Options::new()).unwrap());
    let two = extend(matrix.first_columns(2).unwrap(), form, &Options::new()).unwrap();
    assert!(whole.chunks(5).zip(two.chunks(2)).all(|(row, two)| row[..2] == *two));
    let one = extend(Matrix::new(&words[..3], 3).unwrap(), form, &Options::new()).unwrap();
    assert_eq!(one, words[..3].repeat(8), "the polynomial of one row is constant");
}

/// A word w stands for w modulo p, or for w / 2^32.
#[test]
fn other_forms_of_words() {
    let options = Options::new();
    let words: Vec<u64> = (0..8 * 2).collect();
    let large: Vec<u64> = words.iter().map(|word| word + GOLDILOCKS).collect();
    let form = ExtendForm::new(Field::Goldilocks, 1);
    let of =
        |words: &[u64], elements| extend(Matrix::new(words, 2).unwrap().elements(elements), form, &options).unwrap();
    assert_eq!(of(&large, Elements::Any), of(&words, Elements::Canonical));

    let words = recorded::<u32>(8 * 2, KOALABEAR);
    let montgomery = |words: &[u32]| -> Vec<u32> {
        words.iter().map(|&word| ((u64::from(word) << 32) % KOALABEAR) as u32).collect()
    };
    let form = ExtendForm::new(Field::KoalaBear, 1);
    let of =
        |words: &[u32], elements| extend(Matrix::new(words, 2).unwrap().elements(elements), form, &options).unwrap();
    assert_eq!(of(&montgomery(&words), Elements::Montgomery), montgomery(&of(&words, Elements::Canonical)));
}

#[test]
fn on_a_device() {
    let Ok(device) = Device::open("opencl:0") else {
        return println!("skipped: there is no device with memory of its own");
    };
    let options = Options::new().device(&device);
    let words = recorded::<u64>(64 * 7, GOLDILOCKS);
    let matrix = Matrix::new(&words, 7).unwrap();
    let form = ExtendForm::new(Field::Goldilocks, 2).order(RowOrder::BitReversed);
    let expected = extend(matrix, form, &Options::new().device(&Device::open("cpu").unwrap())).unwrap();
    assert!(extend(matrix, form, &options).unwrap() == expected);

    let mut buffer = Buffer::new(&device, size_of_val(&expected[..]) as u64).unwrap();
    extend_on_device(matrix, form, &mut buffer, &options).unwrap();
    let mut bytes = vec![0; buffer.len() as usize];
    buffer.download(0, &mut bytes, None).unwrap();
    assert!(bytes.chunks(8).zip(&expected).all(|(bytes, word)| *bytes == word.to_le_bytes()));
    // A commitment reads it there.
    let hash = Hash::POSEIDON2_GOLDILOCKS_8;
    let commitment = |matrix| MatrixCommitment::new(&[matrix], hash, 2, 0, &Options::new());
    let there = commitment(Matrix::<u64>::on_device(&buffer, 7).unwrap()).unwrap();
    assert_eq!(there.cap(), commitment(Matrix::new(&expected, 7).unwrap()).unwrap().cap());
    let (extended_there, words) = commit_extended(&[(matrix, form)], hash, 2, 0, 1, &options).unwrap();
    assert_eq!((extended_there.cap(), &words), (there.cap(), &vec![expected.clone()]));
    // It leaves the extension there, where sums read it.
    let mut kept = [Buffer::new(&device, buffer.len()).unwrap()];
    let (same, words) =
        commit_extended_on_device(&[(matrix, form)], hash, 2, 0, 1, &mut kept, &Options::new()).unwrap();
    assert_eq!((same.cap(), &words[0]), (there.cap(), &expected));
    let mut alone = [Buffer::new(&device, buffer.len()).unwrap()];
    let same = commit_extended_in_buffers(&[(matrix, form)], hash, 2, 0, 1, &mut alone, &Options::new()).unwrap();
    let mut of_alone = vec![0; bytes.len()];
    alone[0].download(0, &mut of_alone, None).unwrap();
    assert!(same.cap() == there.cap() && of_alone == bytes);
    for (over, n) in [(SumOver::Rows, 100), (SumOver::Columns, 7)] {
        let weights = recorded::<u64>(2 * n, GOLDILOCKS);
        let sums = |matrix: Matrix<'_, u64>, options: &Options<'_>| {
            let first = matrix.first_rows(100).unwrap();
            weighted_sums(first, Field::Goldilocks, over, &weights, 2, options).unwrap()
        };
        let on_host = sums(Matrix::new(&expected, 7).unwrap(), &Options::new());
        assert_eq!(sums(Matrix::on_device(&kept[0], 7).unwrap(), &Options::new()), on_host);
        assert_eq!(sums(Matrix::new(&expected, 7).unwrap(), &options), on_host);
    }
    let error = Matrix::<u64>::on_device(&buffer, 9).err().unwrap();
    assert_eq!(error.message(), "Matrix: columns must be >= 1 and divide 14336 bytes, got 9");
    let mut short = Buffer::new(&device, buffer.len() - 8).unwrap();
    let error = extend_on_device(matrix, form, &mut short, &options).unwrap_err();
    assert!(error.message().starts_with("extend: out must have "), "{error}");
}

#[test]
fn mistakes() {
    #[track_caller]
    fn wrong<T>(found: Result<T>, text: &str) {
        let error = found.err().expect(text);
        assert_eq!((error.message(), error.kind()), (text, ErrorKind::InvalidArgument));
    }
    let options = Options::new();
    let words: Vec<u64> = (0..12).collect();
    let four = Matrix::new(&words, 3).unwrap();
    let form = ExtendForm::new(Field::Goldilocks, 1);
    let error = extend(four, ExtendForm::new(Field::Goldilocks, 64), &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(
        error.message().starts_with("extend: there is no memory for ")
            && error.message().ends_with("give fewer added bits")
    );
    wrong(
        extend_into(four, form, &mut [0; 23], &options),
        "extend: out must have 192 bytes, 2^1 times the matrix, got 184",
    );
    wrong(
        commit_extended(&[(four, form.shift(0))], Hash::POSEIDON2_GOLDILOCKS_8, 2, 0, 0, &options).map(|_| ()),
        "commit_extended: shift must be 1 to p - 1, or not given for the field's generator, got 0",
    );
    wrong(
        commit_extended::<u64>(&[], Hash::POSEIDON2_GOLDILOCKS_8, 2, 0, 0, &options).map(|_| ()),
        "commit_extended: there must be at least 1 matrix, got 0",
    );
    let sums = |weights: &[u64], degree| {
        weighted_sums(four, Field::Goldilocks, SumOver::Rows, weights, degree, &options).map(|_| ())
    };
    wrong(sums(&words[..7], 2), "weighted_sums: weights must have 2 words of 8 bytes for each of 4 rows, got 56 bytes");
    wrong(sums(&words, 0), "weighted_sums: degree must be 1 to 8, got 0");
    wrong(sums(&words, 1 << 40), "weighted_sums: degree must be 1 to 8, got 9");
    wrong(four.first_rows(5).map(|_| ()), "Matrix: first_rows must be 1 to 4, got 5");
    wrong(
        commit_extended_on_device(&[(four, form)], Hash::POSEIDON2_GOLDILOCKS_8, 2, 0, 0, &mut [], &options)
            .map(|_| ()),
        "commit_extended: out must have a buffer for each of 1 matrices, got 0",
    );
    wrong(
        commit_extended_in_buffers(&[(four, form)], Hash::POSEIDON2_GOLDILOCKS_8, 2, 0, 0, &mut [], &options)
            .map(|_| ()),
        "commit_extended: out must have a buffer for each of 1 matrices, got 0",
    );
}
