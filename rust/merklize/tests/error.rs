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

#[test]
fn no_text_of_an_error_has_a_secret_of_a_url() {
    let table: serde_json::Value = serde_json::from_str(include_str!("urls_with_secrets.json")).unwrap();
    let words = table.as_object().unwrap().values().filter_map(serde_json::Value::as_array).flatten();
    let mut count = 0;
    for word in words.map(|word| word.as_str().unwrap()) {
        let error = hash_file(word, Hash::BLAKE3, &Options::new()).unwrap_err();
        let texts = format!("{error} {error:?} {error:#?}");
        assert!(!texts.contains("s3cr3t"), "{word}: {texts}");
        count += 1;
    }
    assert!(count > 50);
}
