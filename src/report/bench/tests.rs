use super::*;
use crate::report::Layout;

const TRUE: Answer = Answer::True;

fn no() -> Answer {
    Answer::False("false(unreach-call)".to_owned())
}

fn run(answer: Answer, milliseconds: u64) -> Option<Run> {
    let wall = Duration::from_millis(milliseconds);
    let reason = if answer == Answer::Refused { "p.c:3: no \"such\", function" } else { "" }.to_owned();
    let statistics = BTreeMap::from([
        ("Engine".to_owned(), "explore".into()),
        ("States".to_owned(), (milliseconds * 10).into()),
    ]);
    Some(Run { answer, reason, wall, cpu: wall / 2, memory: 20 << 20, statistics })
}

fn row(task: &str, expected: Option<bool>, runs: [Option<Run>; 2]) -> Row {
    Row { task: task.to_owned(), cells: runs.map(|run| Cell { expected, run }).into() }
}

/// Two contestants: the second is wrong about two tasks and was not given the last.
fn benchmark() -> Benchmark {
    let contestant = |name: &str| Contestant {
        name: name.to_owned(),
        command: format!("regrain verify --engine {name}"),
        memory_model: "sc",
    };
    Benchmark {
        contestants: ["explore", "<fast>"].map(contestant).into(),
        rows: vec![
            row("a/safe", Some(true), [run(TRUE, 400), run(TRUE, 100)]),
            row("a/unsafe", Some(false), [run(no(), 900), run(no(), 100)]),
            row("b/hard", Some(true), [run(Answer::Timeout, 5000), run(no(), 20)]),
            row("b/bug", Some(false), [run(Answer::Unknown, 10), run(TRUE, 10)]),
            row("c/odd", None, [run(Answer::Refused, 5), run(TRUE, 5)]),
            row("c/last", Some(true), [run(Answer::Memory, 5), None]),
        ],
        limits: Limits { time: Duration::from_secs(5), memory: Some(100) },
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn scores_are_those_of_sv_comp() {
    let benchmark = benchmark();
    let marks = |contestant: usize| benchmark.rows.iter().map(move |row| row.cells[contestant].mark());
    let scores = |contestant| marks(contestant).flatten().map(Mark::score).collect::<Vec<_>>();
    assert_eq!(scores(0), [2, 1, 0, 0, 0, 0]);
    assert_eq!(scores(1), [2, 1, -16, -32, 0]);
    assert!(benchmark.has_wrong() && !benchmark.is_complete());
    assert!(benchmark.has(&Answer::Refused) && !benchmark.has(&Answer::Crashed));
}

#[test]
fn sums_count_each_run_once() {
    let benchmark = benchmark();
    let totals = benchmark.totals(0);
    assert_eq!((totals.runs, totals.score, totals.best_score), (6, 3, 8));
    assert_eq!((totals.correct_true, totals.correct_false, totals.wrong), (1, 1, 0));
    assert_eq!((totals.unknown, totals.limits, totals.failures, totals.unjudged), (1, 2, 1, 0));
    assert_eq!(totals.wall, Duration::from_millis(6320));
    let totals = benchmark.totals(1);
    assert_eq!((totals.runs, totals.score, totals.wrong, totals.unjudged), (5, -45, 2, 1));
}

#[test]
fn a_duel_is_about_tasks_that_both_decide() {
    let duel = benchmark().duel([0, 1]).expect("there are two such tasks");
    assert_eq!((duel.tasks, duel.wall.map(|time| time.as_millis())), (2, [1300, 200]));
    // The ratios are 4 and 9.
    assert!((duel.mean_ratio - 6.0).abs() < 1e-9, "{duel:?}");
    let mut none = benchmark();
    none.rows.drain(..2);
    assert_eq!(none.duel([0, 1]), None);
}

#[test]
fn the_table_shows_every_run_and_what_is_wrong() {
    let layout = Layout { width: 80, colour: false };
    let text = benchmark().text(&["States".to_owned()], &layout);
    let found = lines(&text);
    assert_eq!(
        found[2].split_whitespace().collect::<Vec<_>>().join(" "),
        "a/safe true true 2 0.40 s 0.20 s 20 MB 4000 true 2 0.10 s 0.05 s 20 MB 1000"
    );
    assert!(found[4].contains("false(unreach-call) WRONG"), "{text}");
    assert!(found[7].ends_with("not run"), "{text}");
    assert!(text.contains("b/bug, <fast>: WRONG: true, expected false\n"), "{text}");
    assert!(text.contains("c/odd, explore: refused: p.c:3: no \"such\", function\n"), "{text}");
    assert!(
        text.contains("<fast> against explore: 2 tasks decided by both, 0.20 s against 1.30 s"),
        "{text}"
    );
    assert_eq!(found.last(), Some(&"Runs: 11 of 12, interrupted; correct 4, wrong 2, without a verdict 4"));
    assert!(!text.contains('\x1b'), "{text}");
    assert!(
        benchmark()
            .text(&[], &Layout { colour: true, ..layout })
            .contains("\x1b[1;31mfalse(unreach-call) WRONG")
    );
}

#[test]
fn the_csv_has_a_line_a_run_and_a_column_a_statistic() {
    let csv = benchmark().csv();
    let found = lines(&csv);
    assert_eq!(
        found[0],
        "task,contestant,memory_model,expected,verdict,mark,score,wall_seconds,cpu_seconds,memory_mb,reason,Engine,States"
    );
    assert_eq!(found.len(), 12);
    assert_eq!(found[1], "a/safe,explore,sc,true,true,correct,2,0.400000,0.200000,20.0,,explore,4000");
    assert_eq!(found[8], "b/bug,<fast>,sc,false,true,wrong,-32,0.010000,0.005000,20.0,,explore,100");
    assert!(found[9].contains("\"p.c:3: no \"\"such\"\", function\""), "{}", found[9]);
}

#[test]
fn the_document_has_sums_and_runs() {
    let json: serde_json::Value = serde_json::from_str(&benchmark().json()).expect("JSON");
    assert_eq!((&json["schema_version"], &json["complete"]), (&1.into(), &false.into()));
    assert_eq!(json["limits"]["wall_seconds"], 5.0);
    assert_eq!(json["contestants"][1]["score"], -45);
    assert_eq!(json["contestants"][0]["limits"], 2);
    let runs = json["runs"].as_array().expect("a list");
    assert_eq!(runs.len(), 11);
    assert_eq!((&runs[5]["mark"], &runs[5]["score"]), (&"wrong".into(), &(-16).into()));
    assert_eq!(runs[0]["statistics"]["States"], 4000);
    assert_eq!(runs[8]["expected"], serde_json::Value::Null);
}

/// What is between two marks, as often as it occurs.
fn between<'a>(text: &'a str, from: &'a str, to: &'a str) -> Vec<&'a str> {
    text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

#[test]
fn the_page_has_a_quantile_line_for_each_contestant() {
    let page = benchmark().html();
    let lines = between(&page, "<polyline", "/>");
    assert_eq!(lines.len(), 2);
    // Two correct answers each. The axis ends at 5, so the first is a fifth of the way, faster ones are
    // lower.
    let points = |line: &str| -> Vec<(f64, f64)> {
        let pairs =
            between(line, "points=\"", "\"")[0].split(' ').map(|pair| pair.split_once(',').expect("x,y"));
        pairs.map(|(x, y)| (x.parse().expect("x"), y.parse().expect("y"))).collect()
    };
    let [first, second] = [points(lines[0]), points(lines[1])];
    assert_eq!(first.iter().map(|point| point.0).collect::<Vec<_>>(), [180.0, 290.0]);
    assert!(first[1].1 < first[0].1, "the slower answer is higher: {first:?}");
    assert!(second[0].1 > first[0].1, "the faster contestant is lower: {second:?}");
    assert!(page.contains("<title>a/unsafe: 0.90 s</title>"));
}

#[test]
fn the_page_compares_task_by_task() {
    let page = benchmark().html();
    assert!(
        page.contains("<figcaption>explore against &lt;fast&gt;</figcaption>"),
        "names are text, not markup"
    );
    // What has no correct answer lies at the limit.
    assert!(page.contains("<title>b/hard: 5.00 s, 5.00 s</title>"));
    assert!(page.contains("<title>a/safe: 0.40 s, 0.10 s</title>"));
    assert!(!page.contains("c/last: "), "without both runs there is nothing to compare");
    assert!(page.contains("<line class=\"diagonal\""));
    assert!(page.contains("WRONG, expected false"));
    assert!(!page.contains("http"), "the page needs nothing else");
    for (open, close) in
        [("<table", "</table>"), ("<svg", "</svg>"), ("<figure", "</figure>"), ("<g", "</g>")]
    {
        assert_eq!(page.matches(open).count(), page.matches(close).count(), "{open}");
    }
}

#[test]
fn one_contestant_alone_gets_time_and_memory() {
    let mut alone = benchmark();
    alone.contestants.pop();
    alone.rows.iter_mut().for_each(|row| row.cells.truncate(1));
    let page = alone.html();
    assert!(page.contains("<figcaption>Time and memory of each run</figcaption>"));
    assert!(page.contains("memory in MB") && !page.contains("<line class=\"diagonal"));
    assert!(page.contains("<title>a/safe: 0.40 s, 20 MB</title>"));
}
