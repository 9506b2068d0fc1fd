//! The benchmark as a page: sums, a quantile plot, scatter plots, and every run. One file, nothing fetched.
//!
//! The quantile plot shows for each contestant its correct answers, fastest first: further right is more
//! tasks, lower is faster. A scatter plot compares two contestants task by task, with what has no correct
//! answer at the time limit; a single contestant gets one of time and memory.

use std::fmt::Write;

use super::plot::{Axis, Plot, Point, Scale, Series, Style, escaped};
use super::table::{memory, seconds};
use super::{Benchmark, Cell, Mark, Row, expected_text, megabytes, seconds_at_least};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Benchmark {
    /// The page.
    pub fn html(&self) -> String {
        let mut body = String::from("<h1>Regrain benchmark</h1>\n");
        let _ = writeln!(body, "<p>{}</p>", escaped(&self.conditions()));
        body += &self.totals_html();
        body += "<div class=\"plots\">\n";
        body += &figure("Correct answers, fastest first", &self.quantile_plot());
        for (title, plot) in self.scatter_plots() {
            body += &figure(&title, &plot);
        }
        body += "</div>\n";
        body += &self.runs_html();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>Regrain benchmark</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }

    fn conditions(&self) -> String {
        let memory = self.limits.memory.map_or(String::new(), |limit| format!(" and {limit} MB"));
        let interrupted = if self.is_complete() { "" } else { " The benchmark was interrupted." };
        format!(
            "{} tasks; each run may take {} s{memory}.{interrupted}",
            self.rows.len(),
            self.limits.time.as_secs_f64()
        )
    }

    fn totals_html(&self) -> String {
        let mut html = String::from(
            "<table class=\"sums\">\n<tr><th>contestant<th>score<th>of<th>correct true<th>correct false\
             <th>wrong<th>unknown<th>limits<th>failures<th>time<th>CPU time<th>memory<th>command</tr>\n",
        );
        for (index, contestant) in self.contestants.iter().enumerate() {
            let totals = self.totals(index);
            let wrong = if totals.wrong > 0 { " class=\"wrong\"" } else { "" };
            let _ = writeln!(
                html,
                "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td{wrong}>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td><code>{}</code></tr>",
                escaped(&contestant.name),
                totals.score,
                totals.best_score,
                totals.correct_true,
                totals.correct_false,
                totals.wrong,
                totals.unknown,
                totals.limits,
                totals.failures,
                seconds(totals.wall),
                seconds(totals.cpu),
                memory(totals.memory),
                escaped(&contestant.command),
            );
        }
        html + "</table>\n"
    }

    fn quantile_plot(&self) -> Plot {
        let series: Vec<Series> = (0..self.contestants.len()).map(|index| self.quantiles(index)).collect();
        let points = || series.iter().flat_map(|series| &series.points);
        Plot {
            x: Axis::around("n-th fastest correct answer", Scale::Linear, points().map(|point| point.at.0)),
            y: Axis::around("time in s", Scale::Logarithmic, points().map(|point| point.at.1)),
            series,
            style: Style::Joined,
        }
    }

    fn quantiles(&self, contestant: usize) -> Series {
        let runs = self.rows.iter().filter_map(|row| Some((row.cells[contestant].correct_run()?, row)));
        let mut runs: Vec<_> = runs.map(|(run, row)| (run.wall, &row.task)).collect();
        runs.sort();
        let point = |(number, (wall, task)): (u32, &(_, &String))| Point {
            at: (f64::from(number), seconds_at_least(*wall)),
            title: format!("{task}: {}", seconds(*wall)),
        };
        Series {
            name: self.contestants[contestant].name.clone(),
            points: (1u32..).zip(&runs).map(point).collect(),
        }
    }

    /// The first contestant against each other, or time against memory if it is alone.
    fn scatter_plots(&self) -> Vec<(String, Plot)> {
        if self.contestants.len() == 1 {
            return vec![("Time and memory of each run".to_owned(), self.resources_plot())];
        }
        let first = &self.contestants[0].name;
        let others = self.contestants.iter().enumerate().skip(1);
        others.map(|(index, other)| (format!("{first} against {}", other.name), self.versus(index))).collect()
    }

    fn versus(&self, other: usize) -> Plot {
        let limit = seconds_at_least(self.limits.time);
        let time = |cell: &Cell| cell.correct_run().map_or(limit, |run| seconds_at_least(run.wall));
        let place = |row: &Row| (time(&row.cells[0]), time(&row.cells[other]));
        let made = |row: &&Row| row.cells[0].run.is_some() && row.cells[other].run.is_some();
        let series = [true, false].map(|expected| Series {
            name: format!("expected {expected}"),
            points: self
                .rows
                .iter()
                .filter(|row| row.cells[0].expected == Some(expected))
                .filter(made)
                .map(|row| Point {
                    at: place(row),
                    title: format!("{}: {:.2} s, {:.2} s", row.task, place(row).0, place(row).1),
                })
                .collect(),
        });
        let axis = |contestant: usize| {
            let times = self.rows.iter().filter(made).flat_map(|row| [place(row).0, place(row).1]);
            let label = format!("time of {} in s", self.contestants[contestant].name);
            Axis::around(&label, Scale::Logarithmic, times)
        };
        Plot { x: axis(0), y: axis(other), series: series.into(), style: Style::Versus }
    }

    fn resources_plot(&self) -> Plot {
        let names = [(true, "correct"), (false, "other")];
        let series = names.map(|(correct, name)| Series {
            name: name.to_owned(),
            points: self
                .rows
                .iter()
                .filter(|row| row.cells[0].correct_run().is_some() == correct)
                .filter_map(|row| Some((row, row.cells[0].run.as_ref()?)))
                .map(|(row, run)| Point {
                    at: (seconds_at_least(run.wall), megabytes(run.memory).max(1.0)),
                    title: format!("{}: {}, {}", row.task, seconds(run.wall), memory(run.memory)),
                })
                .collect(),
        });
        let points = || series.iter().flat_map(|series| &series.points);
        Plot {
            x: Axis::around("time in s", Scale::Logarithmic, points().map(|point| point.at.0)),
            y: Axis::around("memory in MB", Scale::Logarithmic, points().map(|point| point.at.1)),
            series: series.clone().into(),
            style: Style::Scattered,
        }
    }

    fn runs_html(&self) -> String {
        let mut html = String::from("<table class=\"runs\">\n<thead>\n");
        if self.contestants.len() > 1 {
            html += "<tr><td colspan=\"2\">";
            for contestant in &self.contestants {
                let _ = write!(html, "<th colspan=\"5\">{}", escaped(&contestant.name));
            }
            html += "</tr>\n";
        }
        html += "<tr class=\"sort\"><th>task<th>expected";
        for _ in &self.contestants {
            html += "<th>verdict<th>score<th>time<th>CPU time<th>memory";
        }
        html += "</tr>\n</thead>\n<tbody>\n";
        for row in &self.rows {
            let expected = row.cells.first().map_or("", |cell| expected_text(cell.expected));
            let _ = write!(html, "<tr><td>{}<td>{expected}", escaped(&row.task));
            row.cells.iter().for_each(|cell| html += &cell_html(cell));
            html += "</tr>\n";
        }
        html + "</tbody>\n</table>\n"
    }
}

fn figure(title: &str, plot: &Plot) -> String {
    format!("<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n", escaped(title), plot.svg())
}

/// The fields of a run. What it counted, or why it has no verdict, shows when one points at the verdict.
fn cell_html(cell: &Cell) -> String {
    let (Some(run), Some(mark)) = (&cell.run, cell.mark()) else {
        return "<td class=\"open\">not run<td><td><td><td>".to_owned();
    };
    let class = match mark {
        Mark::CorrectTrue | Mark::CorrectFalse => "correct",
        Mark::WrongTrue | Mark::WrongFalse => "wrong",
        Mark::Unjudged => "unjudged",
        Mark::Open => "open",
    };
    let wrong = match (mark, cell.expected) {
        (Mark::WrongTrue | Mark::WrongFalse, expected) => {
            format!(" WRONG, expected {}", expected_text(expected))
        }
        _ => String::new(),
    };
    let mut told: Vec<String> =
        run.statistics.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    if !run.reason.is_empty() {
        told.insert(0, run.reason.clone());
    }
    format!(
        "<td class=\"{class}\" title=\"{}\">{}{wrong}<td>{}<td data-value=\"{:.6}\">{}\
         <td data-value=\"{:.6}\">{}<td data-value=\"{}\">{}",
        escaped(&told.join("\n")),
        escaped(run.answer.text()),
        mark.score(),
        run.wall.as_secs_f64(),
        seconds(run.wall),
        run.cpu.as_secs_f64(),
        seconds(run.cpu),
        run.memory,
        memory(run.memory),
    )
}
