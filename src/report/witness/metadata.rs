//! Who says what about which task: the part that all witnesses have.
//!
//! The identifier is computed from the witness itself (a version 8 UUID of RFC 9562 from a SHA-256 hash), so
//! that the same run gives the same file, apart from the time of creation.

use sha2::{Digest, Sha256};

use crate::frontend::{DataModel, Property};
use crate::program::Program;

/// The task that a witness is about.
#[derive(Clone, Debug)]
pub struct Task {
    /// The input file as the user named it.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The property as in a property file.
    pub specification: String,
    /// Sizes of integers.
    pub data_model: DataModel,
    /// Time of creation, as [`timestamp`] writes it.
    pub creation_time: String,
}

impl Task {
    /// SHA-256 of the input file, in hexadecimal digits.
    pub fn hash(&self) -> String {
        hexadecimal(&Sha256::digest(self.text.as_bytes()))
    }

    /// The data model's name.
    pub(super) fn data_model(&self) -> &'static str {
        match self.data_model {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }
}

/// A property in the words of SV-COMP. Failing assertions are calls of `__assert_fail`, unless the program
/// names its errors otherwise.
pub fn specification(property: &Property, program: &Program) -> String {
    let call = |function: &str| format!("CHECK( init(main()), LTL(G ! call({function}())) )");
    match property {
        Property::UnreachCall(function) => call(function),
        Property::UnreachLabel(label) => format!("CHECK( init(main()), LTL(G ! label({label})) )"),
        Property::NoOverflow => "CHECK( init(main()), LTL(G ! overflow) )".to_owned(),
        Property::Assertions => {
            let named = |text: &str| {
                let name = text.strip_suffix("()")?;
                name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then(|| name.to_owned())
            };
            let function = program.assertions.iter().find_map(|assertion| named(&assertion.text));
            call(function.as_deref().unwrap_or("__assert_fail"))
        }
    }
}

/// A UUID for some contents.
pub(super) fn uuid(content: &str) -> String {
    let hash = Sha256::digest(content.as_bytes());
    let mut bytes: Vec<u8> = hash[..16].to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hexadecimal(&bytes);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Seconds since 1970 as ISO 8601 writes them in universal time: `2026-11-16T15:04:05Z`.
pub fn timestamp(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a number of days since 1970 in the Gregorian calendar. Years are counted from
/// March, so that the leap day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // since 1 March of year 0
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_000_000_000, "2001-09-09T01:46:40Z"),
            (1_709_164_799, "2024-02-28T23:59:59Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(seconds), text);
        }
    }

    #[test]
    fn hashes_are_sha_256() {
        let task = |text: &str| Task {
            file: "p.c".to_owned(),
            text: text.to_owned(),
            specification: String::new(),
            data_model: DataModel::Lp64,
            creation_time: timestamp(0),
        };
        assert_eq!(task("").hash(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(task("abc").hash(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn identifiers_have_version_and_variant_of_their_kind() {
        let id = uuid("abc");
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(id.as_bytes()[14], b'8');
        assert!(matches!(id.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{id}");
        assert_eq!(id, uuid("abc"));
        assert_ne!(id, uuid("abd"));
    }
}
