//! What Regrain can follow, as text and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::json::SCHEMA_VERSION;
use crate::frontend::features::{self, CONSTRUCTS, Support};

/// What stands beside the front end's own tables.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The names of the memory models.
    pub memory_models: Vec<&'static str>,
    /// The engines with what they do.
    pub engines: Vec<(String, String)>,
}

/// Characters a line.
const WIDTH: usize = 100;

/// For people.
pub fn text(offer: &Offer) -> String {
    let mut text = String::new();
    for (title, support) in [
        ("C, followed", Support::Full),
        ("C, followed as far as --unwind says", Support::Bounded),
        ("C, refused", Support::Refused),
    ] {
        let _ = writeln!(text, "{title}:");
        for construct in CONSTRUCTS.iter().filter(|construct| construct.support == support) {
            let _ = writeln!(text, "  {}", construct.name);
        }
    }
    for family in features::functions() {
        let _ = writeln!(text, "Functions, {}:", family.name);
        text += &paragraph(family.functions.iter().map(String::as_str));
    }
    let (followed, harmless) = features::attributes();
    text += "Attributes, followed:\n";
    text += &paragraph(followed.iter().copied());
    text += "Attributes, dropped since they change nothing:\n";
    text += &paragraph(harmless.iter().copied());
    text += "Inputs:\n";
    text += &paragraph(["__VERIFIER_nondet_TYPE()", "nondet_TYPE()", "of any integer or pointer type"]);
    text += "Headers:\n";
    text += &paragraph(features::headers());
    for (title, support) in [("Properties", Support::Full), ("Properties, refused", Support::Refused)] {
        let _ = writeln!(text, "{title}:");
        text += &paragraph(features::properties().into_iter().filter(|p| p.1 == support).map(|p| p.0));
    }
    text += "Memory models:\n";
    text += &paragraph(offer.memory_models.iter().copied());
    text += "Engines:\n";
    for (name, what) in &offer.engines {
        let _ = writeln!(text, "  {name}: {what}");
    }
    text
}

/// Words in lines that are not too long.
fn paragraph<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for word in words {
        if !line.is_empty() && line.len() + 2 + word.len() > WIDTH {
            let _ = writeln!(text, "{line},");
            line.clear();
        }
        line += if line.is_empty() { "  " } else { ", " };
        line += word;
    }
    text + &line + "\n"
}

/// For scripts.
pub fn json(offer: &Offer) -> String {
    let functions: serde_json::Map<String, Value> = features::functions()
        .into_iter()
        .map(|family| (family.name.to_owned(), json!(family.functions)))
        .collect();
    let support = |support: Support| match support {
        Support::Full => "full",
        Support::Bounded => "bounded",
        Support::Refused => "refused",
    };
    let constructs: Vec<Value> =
        CONSTRUCTS.iter().map(|c| json!({"name": c.name, "support": support(c.support)})).collect();
    let properties: Vec<Value> = (features::properties().into_iter())
        .map(|(name, known)| json!({"name": name, "support": support(known)}))
        .collect();
    let engines: Vec<Value> =
        offer.engines.iter().map(|(name, what)| json!({"name": name, "description": what})).collect();
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "regrain", "version": env!("CARGO_PKG_VERSION")},
        "constructs": constructs,
        "functions": functions,
        "attributes": {"followed": features::attributes().0, "dropped": features::attributes().1},
        "headers": features::headers().collect::<Vec<_>>(),
        "properties": properties,
        "memory_models": offer.memory_models,
        "engines": engines,
    });
    serde_json::to_string_pretty(&document).expect("JSON can always be printed") + "\n"
}
