//! Command-line options: `--name value` or `--name=value`.

/// The options of one call. Every getter removes what it reads, so that `finish` can refuse the rest.
pub struct Args {
    given: Vec<(String, String)>,
}

impl Args {
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut given = Vec::new();
        let mut words = words;
        while let Some(word) = words.next() {
            let option = word
                .strip_prefix("--")
                .ok_or(format!("unexpected argument '{word}'"))?;
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name.to_string(), value.to_string()),
                None => {
                    let value = words.next().ok_or(format!("--{option} needs a value"))?;
                    (option.to_string(), value)
                }
            };
            given.push((name, value));
        }
        Ok(Self { given })
    }

    /// The value of `--name`; the last one counts if it is given twice.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let value = self
            .given
            .iter()
            .rev()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.clone());
        self.given.retain(|(n, _)| n != name);
        value
    }

    /// The value of `--name`, which must be one of `choices`.
    pub fn choice(&mut self, name: &str, choices: &[&str]) -> Result<String, String> {
        let list = choices.join("|");
        let value = self
            .text(name)
            .ok_or(format!("--{name} {list} is required"))?;
        if choices.contains(&value.as_str()) {
            Ok(value)
        } else {
            Err(format!("--{name} must be {list}, got '{value}'"))
        }
    }

    /// The value of `--name` as a whole number from `low` to `high`; required when there is no `default`.
    pub fn number(
        &mut self,
        name: &str,
        default: Option<usize>,
        low: usize,
        high: usize,
    ) -> Result<usize, String> {
        let value = match self.text(name) {
            Some(text) => text
                .parse()
                .map_err(|_| format!("--{name}: '{text}' is no number"))?,
            None => default.ok_or(format!("--{name} is required"))?,
        };
        if (low..=high).contains(&value) {
            Ok(value)
        } else {
            Err(format!(
                "--{name} must be from {low} to {high}, got {value}"
            ))
        }
    }

    /// Refuses options that no getter has asked for.
    pub fn finish(self) -> Result<(), String> {
        match self.given.first() {
            Some((name, _)) => Err(format!("unknown option --{name}")),
            None => Ok(()),
        }
    }
}
