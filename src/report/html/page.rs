//! The frame of the page: the verdict at the top, the part that depends on it, the statistics, style and
//! script.

use std::fmt::Write;

use crate::engine::Claim;
use crate::proof::Certificate;
use crate::report::Summary;
use crate::report::summary::Value;
use crate::report::svg::{self, escaped};
use crate::report::words::Words;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

/// The part of the page that depends on the verdict.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Part {
    /// Markup.
    pub(super) body: String,
    /// What the script needs.
    pub(super) data: serde_json::Value,
}

/// The page.
pub fn page(summary: &Summary<'_>, part: &Part) -> String {
    let kind = match summary.answer.claim() {
        Claim::Safe(_) => "true",
        Claim::Unsafe(_) => "false",
        Claim::Unknown(_) => "unknown",
    };
    // A bracket would end the element early.
    let data = part.data.to_string().replace('<', "\\u003c");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{kind}: {file} - Regrain</title>\n\
         <style>\n{STYLE}\n{pictures}</style>\n</head>\n<body class=\"{kind}\">\n{heading}<main>\n{body}{statistics}</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        file = escaped(summary.file),
        pictures = svg::STYLE,
        heading = heading(summary, kind),
        body = part.body,
        statistics = statistics(summary),
    )
}

fn heading(summary: &Summary<'_>, kind: &str) -> String {
    let mut out = format!("<header>\n<p class=\"badge\">{kind}</p>\n<div>\n");
    let title = match (summary.counterexample, summary.answer.claim()) {
        (Some(told), _) => Words::new(told).violation(),
        (None, Claim::Unsafe(_)) => "An assertion is violated".to_owned(),
        (None, Claim::Safe(_)) => "No run of any length violates an assertion".to_owned(),
        (None, Claim::Unknown(reason)) => format!("No verdict: {}", reason.summary),
    };
    let _ = writeln!(out, "<h1>{}</h1>", escaped(&title));
    if let Some(told) = summary.counterexample
        && !told.violated.values.is_empty()
    {
        let values = told.violated.values.iter();
        let values =
            values.map(|(name, value)| format!("<code>{} = {}</code>", escaped(name), escaped(value)));
        let _ = writeln!(out, "<p class=\"values\">with {}</p>", values.collect::<Vec<_>>().join(" "));
    }
    let _ = writeln!(out, "<p class=\"facts\">{}</p>", facts(summary).join(" <i>·</i> "));
    if let Claim::Unknown(reason) = summary.answer.claim()
        && !reason.details.is_empty()
    {
        out += "<ul class=\"details\">\n";
        reason.details.iter().for_each(|detail| {
            let _ = writeln!(out, "<li>{}</li>", escaped(detail));
        });
        out += "</ul>\n";
    }
    out + "</div>\n</header>\n"
}

/// What a reader wants to know first.
fn facts(summary: &Summary<'_>) -> Vec<String> {
    let mut facts = Vec::new();
    match summary.counterexample.map(|told| (told, &told.violated.place)) {
        Some((told, Some(place))) => facts.push(format!(
            "<b>{}:{}</b> in thread <b>{}</b>",
            escaped(&place.file),
            place.line,
            escaped(&told.threads[told.violated.thread])
        )),
        _ => facts.push(format!("<b>{}</b>", escaped(summary.file))),
    }
    if let Some(told) = summary.counterexample {
        let plural = if told.switches == 1 { "" } else { "es" };
        facts.push(format!("a run of {} steps with {} context switch{plural}", told.steps, told.switches));
    }
    if let Claim::Safe(certificate) = summary.answer.claim() {
        facts.push(match certificate {
            Certificate::Exhausted { states } => format!("all {states} states visited"),
            Certificate::Bounded { events, .. } => {
                format!("all runs looked at symbolically, with {events} reads and writes")
            }
            Certificate::Unfolding(unfolding) => format!(
                "proved by a complete unfolding of {} nodes, which was checked independently",
                unfolding.nodes.len()
            ),
            Certificate::Forest(forest) => format!(
                "proved by a complete forest of {} nodes, which was checked independently",
                forest.nodes.len()
            ),
            Certificate::Crowd(_) => {
                "proved for any number of threads by an inductive invariant, which was checked independently"
                    .to_owned()
            }
            Certificate::Views(_) => {
                "proved by inductive invariants, which were checked independently".to_owned()
            }
        });
    }
    facts.push(format!("memory model <b>{}</b>", escaped(&summary.memory_model.to_uppercase())));
    facts.push(format!("engine <b>{}</b>", summary.answer.engine().name()));
    facts
}

fn statistics(summary: &Summary<'_>) -> String {
    let mut out =
        "<section class=\"statistics\" aria-labelledby=\"statistics\">\n<h2 id=\"statistics\">Statistics</h2>\n<dl>\n"
            .to_owned();
    let task = [
        ("File", summary.file.to_owned()),
        ("Verdict", summary.verdict_text()),
        ("Granularity", summary.granularity.to_owned()),
        ("Data model", summary.data_model.to_owned()),
    ];
    let counted = summary.values().into_iter().map(|(name, value)| match value {
        Value::Count(count) => (name, grouped(count)),
        Value::Seconds(seconds) => (name, format!("{seconds:.3} s")),
        Value::Text(text) => (name, text),
    });
    for (name, value) in task.into_iter().chain(counted) {
        let _ = writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(&value));
    }
    let _ = writeln!(
        out,
        "</dl>\n<p class=\"tool\">regrain {} · this page needs no network</p>\n</section>",
        env!("CARGO_PKG_VERSION")
    );
    out
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}
