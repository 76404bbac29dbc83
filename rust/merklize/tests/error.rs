//! How errors print: `main` and `unwrap()` print `{:?}`, which is the text for people; `{:#?}` has the fields.

use merklize::{hash_file, Digest, Error, Hash, Options};

#[test]
fn debug_is_the_text_and_its_alternate_form_has_the_fields() {
    let of_file = hash_file("no/such/file", Hash::BLAKE3, &Options::new()).unwrap_err();
    let of_text = "12".parse::<Digest>().unwrap_err();
    for error in [of_file.clone(), of_text, Error::invalid_argument("two\nlines")] {
        assert_eq!(format!("{error:?}"), error.message());
        assert_eq!(format!("{error:?}"), error.to_string());
        let fields = format!("{error:#?}");
        assert!(fields.starts_with("Error {") && fields.contains(&format!("kind: {:?}", error.kind())), "{fields}");
    }
    let fields = format!("{of_file:#?}");
    assert!(
        fields.contains("kind: Io") && fields.contains("no/such/file") && fields.contains("system_error"),
        "{fields}"
    );
    // As `main` prints what it returns.
    let boxed: Box<dyn std::error::Error> = of_file.into();
    assert!(!format!("{boxed:?}").contains("kind"), "{boxed:?}");
}
