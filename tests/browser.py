#!/usr/bin/env python3
"""Opens pages that `regrain verify --html` wrote in a real browser, and works with them as a user does.

  tests/browser.py CHROMIUM FOLDER

For each NAME.html in the folder there is a NAME.json, the report of the same run; NAME.partition.json is what
`regrain partition --history --format json` says about a proof. The page must show what these say, step by step. Only Python's
own library is needed: the browser is driven over a pipe, by the DevTools protocol.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --disable-dev-shm-usage --disable-extensions --mute-audio --remote-debugging-pipe""".split()

KEYS = {"j": ("KeyJ", 74), "k": ("KeyK", 75), "Home": ("Home", 36), "End": ("End", 35), "Tab": ("Tab", 9),
        "ArrowLeft": ("ArrowLeft", 37), "ArrowRight": ("ArrowRight", 39), "ArrowDown": ("ArrowDown", 40), "ArrowUp": ("ArrowUp", 38)}

# What a page looks like to its reader, as data.
SEEN = """(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height].map(Math.round).join(); };
  const visible = (inner, outer) => { const i = inner.getBoundingClientRect(), o = outer.getBoundingClientRect();
    return i.top >= o.top - 1 && i.top < o.bottom; };
  const current = all(".row.current");
  const card = document.querySelector(".step[aria-current]");
  return {
    step: card && Number(card.dataset.step),
    cards: all(".step").length,
    lines: current.map(row => Number(row.dataset.line)),
    line_visible: current.every(row => visible(row, document.querySelector(".pane.source"))),
    card_visible: !card || visible(card, document.querySelector(".pane.run")),
    text: card && card.innerText,
    from: all(".row.from").map(row => Number(row.dataset.line)),
    values: all(".values tr").map(row => [row.closest("table").previousElementSibling.innerText, row.cells[0].innerText, row.cells[1].innerText]),
    changed: all(".values tr.changed").map(row => row.cells[0].innerText),
    locks: Object.fromEntries(all(".locks tr").map(row => [row.cells[0].innerText, row.cells[1].innerText])),
    buffers: Object.fromEntries(all(".buffer").map(b => [b.querySelector("h3").innerText, all("li", b).map(li => li.innerText)])),
    events: all(".event.now").length,
    layout: all(".bar, .panes, .pane, .state h2, .state tr, .buffer, .step").filter(e => !e.closest(".view[hidden]")).map(e => {
      const pane = e.parentElement.closest(".pane"); const r = e.getBoundingClientRect();
      return [r.left + (pane ? pane.scrollLeft : 0), r.top + (pane ? pane.scrollTop : 0) + (pane ? 0 : scrollY), r.width, r.height].map(Math.round).join(); }),
  };
})()"""


class Browser:
    """A browser with one page."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (theirs_in, self.out), (self.inp, theirs_out) = os.pipe(), os.pipe()
        # The browser expects its pipe at the descriptors 3 and 4.
        script = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        command = ["bash", "-c", script, program, *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def read(self):
        while b"\0" not in self.rest:
            chunk = os.read(self.inp, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser has gone")
            self.rest += chunk
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri())
        deadline = time.monotonic() + 20
        while self.value("document.readyState") != "complete" or self.value("location.protocol") != "file:":
            if time.monotonic() > deadline:
                raise RuntimeError(f"{path.name} does not load")
            time.sleep(0.02)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key):
        code, number = KEYS[key]
        text = {"text": key} if len(key) == 1 else {}
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number,
                      **(text if kind == "keyDown" else {}))

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def complaints(self):
        """What the console and the network have seen that must not be."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("text", "exception"))
            if method == "Runtime.consoleAPICalled":
                found.append(f"console: {params['type']}")
            if method == "Log.entryAdded":
                found.append(f"log: {params['entry']['text']}")
            if method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:///", "about:")):
                found.append(f"network: {params['request']['url']}")
        files = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        if len([url for url in files if url.startswith("file:")]) > 1:
            found.append(f"more than one file: {files}")
        return found

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=20)


class Memory:
    """Follows a trace of the report: what memory, locks and store buffers hold after each step."""

    def __init__(self, violation):
        self.values, self.locks, self.buffers = {}, {}, {}
        self.trace = violation["trace"]

    def step(self, number):
        step = self.trace[number]
        thread = step["thread"]
        waiting = self.buffers.setdefault(thread, [])
        for action in step["actions"]:
            name, value = action.get("variable"), action.get("value")
            kind = action["action"]
            if kind == "write" and action["buffered"]:
                waiting.append(f"{name} = {value}")
            elif kind in ("write", "update"):
                self.values[name] = value
            elif kind == "flush":
                waiting.remove(f"{name} = {value}")
                self.values[name] = value
            elif kind == "read" and action["from"]["kind"] == "initial":
                self.values.setdefault(name, value)
            elif kind == "lock":
                self.locks[action["lock"]] = thread
            elif kind == "unlock":
                self.locks[action["lock"]] = "free"
        return step


def equal(what, shown, expected):
    if shown != expected:
        raise AssertionError(f"{what}: the page shows {shown!r}, the report says {expected!r}")


def check_step(browser, number, step, memory):
    seen = browser.value(SEEN)
    at = f"step {number}"
    equal(f"{at}: current step", seen["step"], number)
    equal(f"{at}: highlighted line", seen["lines"], [step["line"]] if "line" in step else [])
    assert seen["line_visible"] and seen["card_visible"], f"{at}: the current line or step is out of sight"
    shared = {name: value for title, name, value in seen["values"] if title.startswith("Memory")}
    for name, value in memory.values.items():
        equal(f"{at}: {name}", shared.get(name), value)
    for name, owner in memory.locks.items():
        equal(f"{at}: {name}", seen["locks"].get(name), owner)
    # Under PSO a buffer has no one order.
    for thread, waiting in memory.buffers.items():
        equal(f"{at}: store buffer of {thread}", sorted(seen["buffers"].get(thread, [])), sorted(waiting))
    sources = {a["from"]["written"]["line"] for a in step["actions"] if a.get("from", {}).get("written")}
    sources |= {a["written"]["line"] for a in step["actions"] if a["action"] == "flush" and a["written"]}
    equal(f"{at}: lines that values come from", set(seen["from"]), sources)
    for action in step["actions"]:
        if action["action"] in ("read", "flush") and f"{action['variable']} = {action['value']}" not in seen["text"]:
            raise AssertionError(f"{at}: {action} is not told in {seen['text']!r}")
    return seen


def check_violation(browser, report):
    violation = report["violation"]
    memory, last = Memory(violation), len(violation["trace"])
    equal("opens at the violation", browser.value(SEEN)["step"], last)
    browser.press("Home")
    start = browser.value(SEEN)
    equal("steps", start["cards"], last)
    equal("start", (start["step"], start["lines"]), (None, []))
    heading = browser.value("document.querySelector('header').innerText")
    for text in [violation["assertion"], f"{violation['file']}:{violation['line']}", "FALSE",
                 *[f"{name} = {value}" for name, value in violation["values"].items()]]:
        assert text in heading, f"{text!r} is not in the heading {heading!r}"
    seen = []
    for number in range(1, last + 1):
        browser.press("j" if number % 2 else "ArrowRight")
        seen.append(check_step(browser, number, memory.step(number - 1), memory))
    for earlier, later in zip([start, *seen], seen):
        equal("places of everything after a step", later["layout"], earlier["layout"])
    assert "violat" in seen[-1]["text"], seen[-1]["text"]
    assert any(step["events"] for step in seen), "no event of the graph is ever current"
    browser.press("j")
    equal("beyond the end", browser.value(SEEN)["step"], last)
    browser.press("k")
    equal("back", browser.value(SEEN), seen[-2])
    browser.press("ArrowLeft")
    equal("back again", browser.value(SEEN)["step"], last - 2)
    browser.press("Home")
    equal("Home", browser.value(SEEN), start)
    browser.press("End")
    equal("End", browser.value(SEEN), seen[-1])
    browser.value("document.querySelector('.step[data-step=\"2\"]').click()")
    equal("a click", browser.value(SEEN), seen[1])
    browser.value("document.getElementById('forth').click()")
    equal("a button", browser.value(SEEN)["step"], 3)
    browser.value("const at = document.getElementById('at'); at.value = 1; at.dispatchEvent(new Event('input'))")
    equal("the slider", browser.value(SEEN), seen[0])
    names = {event["thread"] for event in violation["trace"]}
    drawn = set(browser.value("[...document.querySelectorAll('.graph svg .name')].map(e => e.textContent)"))
    assert drawn <= names, f"{drawn} are drawn, {names} take part"
    equal("current step is in the address", browser.value("location.hash"), "#1")


def groups(pairs):
    classes = {}
    for thread, location, number in pairs:
        classes.setdefault((thread, number), set()).add(location)
    return sorted(map(sorted, classes.values()))


def check_partition(browser, partition):
    shown = """(() => { const view = [...document.querySelectorAll('.view')].find(v => !v.hidden);
      return { observed: view.getAttribute('aria-label'), count: view.querySelector('.count').innerText,
        learnt: [...view.querySelectorAll('.learnt article')].filter(a => !a.hidden).map(a => a.innerText).join(),
        list: [...view.querySelectorAll('.places li')].map(li => [li.closest('ol').previousElementSibling.innerText, 'L' + li.dataset.location, li.querySelector('.chip').innerText]),
        drawn: [...view.querySelectorAll('svg .node')].filter(n => n.querySelector('.class').textContent !== '').map(n => ['L' + n.dataset.location, n.querySelector('.class').textContent]) }; })()"""
    for index, view in enumerate(partition["views"]):
        if len(partition["views"]) > 1:
            browser.value(f"document.getElementById('tab{index}').click()")
        seen = browser.value(shown)
        equal("verified thread", seen["observed"], view["observed"])
        rounds = view.get("rounds", [])
        browser.press("Home")
        current = [{"thread": t["thread"], "classes": [sum(t["classes"], [])]} for t in view["environment"]]
        for number in range(len(rounds) + 1):
            if number > 0:
                browser.press("j")
                current = rounds[number - 1].get("partition", current)
            seen = browser.value(shown)
            expected = groups((t["thread"], place.split("(")[-1].rstrip(")"), n)
                              for t in current for n, places in enumerate(t["classes"]) for place in places)
            equal(f"classes in round {number}", groups(seen["list"]), expected)
            equal(f"drawn classes in round {number}", sorted(seen["drawn"]), sorted([l, n] for _, l, n in seen["list"]))
            assert f"round {number} of {len(rounds)}, {len(expected)} class" in seen["count"], seen["count"]
            for predicate in rounds[number - 1].get("predicates", []) if number else []:
                assert predicate in seen["learnt"], f"round {number}: {predicate} is not in {seen['learnt']}"


def check_proof(browser, report, partition):
    heading = browser.value("document.querySelector('header').innerText")
    assert heading.startswith("TRUE"), heading
    if partition:
        check_partition(browser, partition)
        notes = browser.value("document.querySelectorAll('.note').length")
        assert notes > 0, "the source has no invariants"
        browser.value("document.querySelector('.note summary').click()")
        assert browser.value("document.querySelector('.note li').checkVisibility()"), "a note does not open"


def check_unknown(browser, report):
    heading = browser.value("document.querySelector('header').innerText")
    for text in ["UNKNOWN", report["reason"]["summary"], *report["reason"]["details"]]:
        assert text in heading, f"{text!r} is not in {heading!r}"


def check_statistics(browser, report):
    shown = dict(browser.value("[...document.querySelectorAll('dl div')].map(d => [d.children[0].innerText, d.children[1].innerText])"))
    equal("verdict", shown["Verdict"], report["verdict"])
    for name, value in report["statistics"].items():
        if isinstance(value, int):
            equal(name, shown[name].replace("\u202f", ""), str(value))


def check_widths(browser):
    grounds = []
    for scheme in ["light", "dark"]:
        browser.scheme(scheme)
        for width in [320, 400, 768, 1280]:
            browser.resize(width)
            wide = browser.value("[document.documentElement.scrollWidth, innerWidth]")
            assert wide[0] <= wide[1], f"{wide[0]} pixels wide in a window of {wide[1]}"
        grounds.append(browser.value("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1], f"the same ground in light and dark: {grounds}"
    browser.scheme("light")


def check(browser, page):
    report = json.loads(page.with_suffix(".json").read_text())
    partition = page.with_suffix(".partition.json")
    partition = json.loads(partition.read_text()) if partition.exists() else None
    for width in [1280, 400]:
        browser.resize(width)
        browser.open(page)
        if report["verdict"].startswith("false"):
            check_violation(browser, report)
        elif report["verdict"] == "true":
            check_proof(browser, report, partition)
        else:
            check_unknown(browser, report)
    check_statistics(browser, report)
    check_widths(browser)
    equal("hostile source", browser.value("typeof window.injected + document.querySelectorAll('img, iframe, main script').length"), "undefined0")
    unnamed = browser.value("[...document.querySelectorAll('button, input')].filter(e => !e.getAttribute('aria-label') && !e.innerText.trim()).length")
    equal("controls without a name", unnamed, 0)
    equal("console and network", browser.complaints(), [])


def main(program, folder):
    browser = Browser(program)
    failed = 0
    for page in sorted(Path(folder).resolve().glob("*.html")):
        begin = time.monotonic()
        try:
            check(browser, page)
            print(f"{page.name}: as it should be, {time.monotonic() - begin:.1f} s")
        except AssertionError as error:
            failed += 1
            print(f"{page.name}: {error}")
    browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
