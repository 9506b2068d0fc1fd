//! Plots as SVG, to stand inside a page: points and lines over two axes, each linear or logarithmic.
//!
//! Series differ in colour, in the shape of their points and in the dashes of their lines, so that colour is
//! never needed to tell them apart. Colours of text and axes come from the page (`currentColor`).

use std::fmt::Write;

/// Width of the picture, and of the part between the axes.
const SIZE: (f64, f64) = (640.0, 420.0);
const LEFT: f64 = 70.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 366.0;

const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9"];
const DASHES: [&str; 4] = ["none", "7 3", "2 3", "9 3 2 3"];

/// How numbers become places on an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Equal distances are equal differences.
    Linear,
    /// Equal distances are equal ratios.
    Logarithmic,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// How.
    pub scale: Scale,
    /// The least and the greatest number on it.
    pub range: (f64, f64),
}

/// A point with what a reader sees who points at it.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its numbers.
    pub at: (f64, f64),
    /// Its name.
    pub title: String,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// Shown in the legend.
    pub name: String,
    /// In the order in which they are joined.
    pub points: Vec<Point>,
}

/// What else is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// The points of a series are joined by lines.
    Joined,
    /// Points alone.
    Scattered,
    /// Points alone, with the diagonals of ratio 1 and 10.
    Versus,
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is shown.
    pub series: Vec<Series>,
    /// How.
    pub style: Style,
}

impl Axis {
    /// An axis that holds these values, with round ends: a linear one begins at 0, a logarithmic one at a
    /// power of ten.
    pub fn around(label: &str, scale: Scale, values: impl Iterator<Item = f64>) -> Axis {
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (least, greatest) = (least.min(value), greatest.max(value));
        }
        if least > greatest {
            (least, greatest) = (1.0, 10.0);
        }
        let range = match scale {
            Scale::Linear => (0.0, round_up(greatest.max(1.0))),
            Scale::Logarithmic => {
                let low = 10f64.powf(least.log10().floor());
                (low, 10f64.powf(greatest.log10().ceil()).max(low * 10.0))
            }
        };
        Axis { label: label.to_owned(), scale, range }
    }

    /// Where a number lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Logarithmic => (value.max(low) / low).log10() / (high / low).log10(),
        }
    }

    fn ticks(&self) -> Vec<f64> {
        let (low, high) = self.range;
        match self.scale {
            Scale::Linear => (0..=5).map(|step| low + (high - low) * f64::from(step) / 5.0).collect(),
            Scale::Logarithmic => {
                let powers = std::iter::successors(Some(low), |power| Some(power * 10.0));
                powers.take_while(|power| *power <= high * 1.001).collect()
            }
        }
    }
}

/// The next number that is 1, 2 or 5 times a power of ten, and at least 5.
fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let known = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    known.into_iter().find(|round| *round >= value).unwrap_or(value).max(5.0)
}

impl Plot {
    /// The picture.
    pub fn svg(&self) -> String {
        let (width, height) = SIZE;
        let mut svg = format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{} over {}\">\n",
            escaped(&self.y.label),
            escaped(&self.x.label)
        );
        self.draw_axes(&mut svg);
        if self.style == Style::Versus {
            self.draw_diagonals(&mut svg);
        }
        for (number, series) in self.series.iter().enumerate() {
            self.draw_series(&mut svg, number, series);
        }
        if self.series.len() > 1 {
            self.draw_legend(&mut svg);
        }
        svg + "</svg>\n"
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * self.x.place(value)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * self.y.place(value)
    }

    fn draw_axes(&self, svg: &mut String) {
        for tick in self.x.ticks() {
            let x = self.x(tick);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{BOTTOM}\"/>"
            );
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                BOTTOM + 18.0,
                number(tick)
            );
        }
        for tick in self.y.ticks() {
            let y = self.y(tick);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\"/>"
            );
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                y + 4.0,
                number(tick)
            );
        }
        let middle = (f64::midpoint(LEFT, RIGHT), f64::midpoint(TOP, BOTTOM));
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            middle.0,
            SIZE.1 - 12.0,
            escaped(&self.x.label)
        );
        let _ = writeln!(
            svg,
            "<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            middle.1,
            escaped(&self.y.label)
        );
    }

    /// The lines of ratio 1, 10 and 1/10, as far as they lie between the axes.
    fn draw_diagonals(&self, svg: &mut String) {
        for (ratio, class) in [(1.0, "diagonal"), (10.0, "diagonal far"), (0.1, "diagonal far")] {
            let from = self.x.range.0.max(self.y.range.0 / ratio);
            let to = self.x.range.1.min(self.y.range.1 / ratio);
            if from < to {
                let _ = writeln!(
                    svg,
                    "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
                    self.x(from),
                    self.y(from * ratio),
                    self.x(to),
                    self.y(to * ratio)
                );
            }
        }
    }

    fn draw_series(&self, svg: &mut String, index: usize, series: &Series) {
        let colour = COLOURS[index % COLOURS.len()];
        let _ = writeln!(svg, "<g stroke=\"{colour}\" fill=\"{colour}\">");
        if self.style == Style::Joined {
            let places = series.points.iter().map(|point| (self.x(point.at.0), self.y(point.at.1)));
            let places: Vec<String> = places.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(
                svg,
                "<polyline fill=\"none\" stroke-width=\"2\" stroke-dasharray=\"{}\" points=\"{}\"/>",
                DASHES[index % DASHES.len()],
                places.join(" ")
            );
        }
        for point in &series.points {
            let (x, y) = (self.x(point.at.0), self.y(point.at.1));
            let _ = writeln!(svg, "<g>{}<title>{}</title></g>", marker(index, x, y), escaped(&point.title));
        }
        svg.push_str("</g>\n");
    }

    fn draw_legend(&self, svg: &mut String) {
        for (index, series) in self.series.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            #[expect(clippy::cast_precision_loss, reason = "there are few series")]
            let y = TOP + 14.0 + 18.0 * index as f64;
            let _ = writeln!(
                svg,
                "<g stroke=\"{colour}\" fill=\"{colour}\">{}</g><text x=\"{}\" y=\"{}\">{}</text>",
                marker(index, LEFT + 14.0, y - 4.0),
                LEFT + 26.0,
                y,
                escaped(&series.name)
            );
        }
    }
}

/// A point of a series: circle, cross, square or triangle.
fn marker(index: usize, x: f64, y: f64) -> String {
    let path = match index % 4 {
        0 => return format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"),
        1 => format!("M{:.1} {:.1}l7 7m0 -7l-7 7", x - 3.5, y - 3.5),
        2 => format!("M{:.1} {:.1}h6v6h-6z", x - 3.0, y - 3.0),
        _ => format!("M{x:.1} {:.1}l4 7h-8z", y - 4.0),
    };
    let weight = if index % 4 == 1 { " stroke-width=\"2\"" } else { "" };
    format!("<path d=\"{path}\"{weight}/>")
}

/// A number at an axis, short.
fn number(value: f64) -> String {
    match value {
        value if value != 0.0 && value.abs() < 0.001 => format!("{value:.0e}"),
        value if value >= 100_000.0 => format!("{value:.0e}"),
        value => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// Text for HTML and SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
