//! The report as one page that stands alone: no network, light and dark, readable on any width, operated by
//! keys or pointer.
//!
//! The page is complete as text; its script only chooses which step or round is current. Whatever comes from
//! the source passes through [`escaped`](super::svg::escaped) on its way into elements, and through JSON with
//! escaped brackets on its way to the script, which puts it into the page as text and never as markup.

mod bar;
mod highlight;
mod page;
mod proof;
mod source;
mod turns;
mod unfolded;
mod violation;

pub use page::{Part, page};
pub use proof::{Proof, proof};
pub use violation::violation;
