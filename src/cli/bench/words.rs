//! Command lines inside an argument: split into words as a shell does, with quotes and backslashes and
//! nothing else.

/// The words of a text.
///
/// # Errors
/// If a quotation does not end.
pub fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' | '"' => quotation(letter, &mut letters, word.get_or_insert_default(), text)?,
            '\\' => word.get_or_insert_default().extend(letters.next()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quotation(
    quote: char,
    letters: &mut std::str::Chars<'_>,
    word: &mut String,
    text: &str,
) -> Result<(), String> {
    loop {
        match letters.next() {
            None => return Err(format!("the quotation {quote} does not end in: {text}")),
            Some(letter) if letter == quote => return Ok(()),
            Some('\\') if quote == '"' => word.extend(letters.next()),
            Some(letter) => word.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, words) in [
            ("  --engine   cegar ", vec!["--engine", "cegar"]),
            ("-D 'A B' x\"y z\"w", vec!["-D", "A B", "xy zw"]),
            ("'' a\\ b \"c\\\"d\"", vec!["", "a b", "c\"d"]),
            ("", vec![]),
        ] {
            assert_eq!(split(text).expect("all quotations end"), words, "{text}");
        }
        assert_eq!(split("a 'b"), Err("the quotation ' does not end in: a 'b".to_owned()));
    }
}
