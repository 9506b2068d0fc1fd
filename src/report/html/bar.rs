//! Buttons for stepping, drawn rather than written: not every font has these signs.

/// Where a button leads.
#[derive(Clone, Copy)]
pub(super) enum Sign {
    First,
    Back,
    Forth,
    Last,
}

/// A button with a tooltip that names its key.
pub(super) fn button(attributes: &str, label: &str, key: &str, sign: Sign) -> String {
    let path = match sign {
        Sign::First => "M4 4v8M13 3.5v9L6 8z",
        Sign::Back => "M11 3.5v9L4.5 8z",
        Sign::Forth => "M5 3.5v9L11.5 8z",
        Sign::Last => "M12 4v8M3 3.5v9L10 8z",
    };
    format!(
        "<button {attributes} title=\"{label} ({key})\" aria-label=\"{label}\"><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">\
         <path d=\"{path}\"/></svg></button>"
    )
}

/// What the keys do.
pub(super) fn keys(what: &str) -> String {
    format!(
        "<span class=\"keys\"><kbd>j</kbd> <kbd>k</kbd> or <kbd>←</kbd> <kbd>→</kbd> {what}, <kbd>Home</kbd> <kbd>End</kbd></span>\n"
    )
}
