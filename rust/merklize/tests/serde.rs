//! Digests in a text format and in a binary one.

use merklize::{hash, Digest};

#[test]
fn digests() {
    let digest = hash(b"abc").unwrap();
    let text = serde_json::to_string(&digest).unwrap();
    assert_eq!(text, format!("\"{digest}\""));
    assert_eq!(text.len(), 66);
    assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), digest);
    let bytes = postcard::to_stdvec(&digest).unwrap();
    assert_eq!(bytes, digest.0);
    assert_eq!(postcard::from_bytes::<Digest>(&bytes).unwrap(), digest);
}

#[test]
fn what_is_no_digest() {
    let zeros = "0".repeat(63);
    for text in [format!("\"{zeros}\""), format!("\"{zeros}g\""), "3".into(), "[0, 0]".into(), "null".into()] {
        let error = serde_json::from_str::<Digest>(&text).unwrap_err().to_string();
        assert!(error.contains("64 hexadecimal digits"), "{text}: {error}");
    }
    assert!(postcard::from_bytes::<Digest>(&[0; 31]).is_err());
}
