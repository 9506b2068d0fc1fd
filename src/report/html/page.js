"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const one = (selector, root = document) => root.querySelector(selector);

  /* Scrolls within a pane, and only if it must; the page itself stays where it is. */
  const reveal = (element, pane) => {
    if (!element || !pane) return;
    const outer = pane.getBoundingClientRect(), inner = element.getBoundingClientRect();
    const room = Math.min(outer.height / 4, 90);
    if (inner.top < outer.top + room || inner.bottom > outer.bottom - room) {
      pane.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
    }
    if (inner.left < outer.left || inner.right > outer.right) {
      pane.scrollLeft += inner.left - outer.left - 16;
    }
  };

  /* A position from 0 to a last one, moved by buttons and a slider. */
  const stepper = (buttons, last, show) => {
    const self = { at: 0, go: to => { self.at = Math.max(0, Math.min(last, to)); buttons.range.value = self.at; show(self.at); } };
    buttons.first.addEventListener("click", () => self.go(0));
    buttons.back.addEventListener("click", () => self.go(self.at - 1));
    buttons.forth.addEventListener("click", () => self.go(self.at + 1));
    buttons.last.addEventListener("click", () => self.go(last));
    buttons.range.addEventListener("input", () => self.go(Number(buttons.range.value)));
    self.last = last;
    return self;
  };

  const listen = current => document.addEventListener("keydown", event => {
    const self = current();
    if (!self || event.ctrlKey || event.altKey || event.metaKey) return;
    const moves = { j: self.at + 1, ArrowRight: self.at + 1, ArrowDown: self.at + 1, k: self.at - 1, ArrowLeft: self.at - 1, ArrowUp: self.at - 1, Home: 0, End: self.last };
    if (!(event.key in moves)) return;
    event.preventDefault();
    self.go(moves[event.key]);
  });

  const run = () => {
    const { steps, threads, initial, locks } = data;
    const last = steps.length;
    const rows = new Map(all(".listing").flatMap(file => all(".row", file).map(row => [`${file.dataset.file}:${row.dataset.line}`, row])));
    const cards = all(".step");
    const watched = all("[data-watched]").map(row => [Number(row.dataset.watched), row, one("td", row)]);
    const owners = all("[data-lock] td");
    const turns = all("[data-turn]").map(row => [Number(row.dataset.turn), row, one("td", row)]);
    const moment = one("#moment td");
    const buffers = all(".buffer").map(element => [Number(element.dataset.thread), one("ol", element)]);
    const events = all(".event[data-told]");
    const row = place => place && rows.get(place.join(":"));
    const deepest = {};
    for (const step of steps) for (const [thread] of step.buffers) deepest[thread] = Math.max(deepest[thread] || 0, step.buffers.filter(b => b[0] === thread).length);
    for (const [thread, list] of buffers) list.style.setProperty("--deepest", deepest[thread] || 1);

    /* The values after so many steps. */
    const values = at => {
      const now = initial.slice();
      for (const step of steps.slice(0, at)) for (const [index, value] of step.changes) now[index] = value;
      return now;
    };

    const show = at => {
      const step = at > 0 ? steps[at - 1] : null;
      one("#count").textContent = at === 0 ? `start, ${last} steps` : `step ${at} of ${last}`;
      one("#first").disabled = one("#back").disabled = at === 0;
      one("#last").disabled = one("#forth").disabled = at === last;
      for (const element of all(".row.current, .row.from")) element.classList.remove("current", "from", "t0", "t1", "t2", "t3", "t4", "t5");
      for (const element of all(".row .who")) element.replaceChildren();
      const where = {};
      steps.slice(0, at).forEach(s => { if (s.at) where[s.thread] = s.at; });
      for (const [thread, place] of Object.entries(where)) {
        const mark = document.createElement("i");
        mark.className = `t${thread % 6}`;
        mark.title = `${threads[thread]} was here last`;
        const line = row(place);
        if (line) one(".who", line).append(mark);
      }
      if (step) {
        for (const place of step.from) { const line = row(place); if (line) line.classList.add("from"); }
        const line = row(step.at);
        if (line) line.classList.add("current", `t${step.thread % 6}`);
        reveal(line || row(step.from[0]), one(".pane.source"));
      } else {
        one(".pane.source").scrollTop = 0;
      }
      cards.forEach((card, index) => {
        card.classList.toggle("past", index + 1 < at);
        card.classList.toggle("future", index + 1 > at);
        if (index + 1 === at) card.setAttribute("aria-current", "step"); else card.removeAttribute("aria-current");
      });
      reveal(cards[Math.max(0, at - 1)], one(".pane.run"));
      const now = values(at);
      const changed = new Set(step ? step.changes.map(([index]) => index) : []);
      for (const [index, element, cell] of watched) {
        cell.textContent = now[index] === "" ? "?" : now[index];
        element.classList.toggle("changed", changed.has(index));
      }
      owners.forEach((cell, index) => {
        const held = step ? step.locks.find(([lock]) => lock === index) : null;
        cell.textContent = held ? held[1].map(thread => threads[thread]).join(", ") : "free";
        cell.parentElement.classList.toggle("held", Boolean(held));
      });
      if (moment) moment.textContent = step ? step.moment : "the beginning";
      for (const [thread, element, cell] of turns) {
        const standing = step ? step.turns[thread] : null;
        const runs = Boolean(step) && step.thread === thread && !standing;
        cell.textContent = standing || (runs ? "runs" : step ? "could go on" : "");
        element.classList.toggle("runs", runs);
      }
      for (const [thread, list] of buffers) {
        const waiting = step ? step.buffers.filter(write => write[0] === thread) : [];
        list.replaceChildren(...waiting.map(([, name, value, line]) => {
          const item = document.createElement("li");
          item.textContent = `${name} = ${value}`;
          if (line) item.title = `written by line ${line}`;
          return item;
        }));
        list.classList.toggle("none", waiting.length === 0);
      }
      for (const event of events) {
        const told = Number(event.dataset.told) + 1;
        event.classList.toggle("now", told === at);
        event.classList.toggle("later", told > at);
      }
      try { history.replaceState(null, "", `#${at}`); } catch { /* The address is a convenience. */ }
    };

    const id = name => document.getElementById(name);
    const self = stepper({ first: id("first"), back: id("back"), forth: id("forth"), last: id("last"), range: id("at") }, last, show);
    for (const card of cards) card.addEventListener("click", () => self.go(Number(card.dataset.step)));
    listen(() => self);
    const asked = Number.parseInt(location.hash.slice(1), 10);
    /* Who opens the page wants to see what went wrong; how it came to that is a key away. */
    self.go(Number.isNaN(asked) ? last : asked);
  };

  const proof = () => {
    const views = all(".view").map((view, index) => {
      const rounds = data.views[index];
      const places = all("[data-location]", view);
      const show = at => {
        const classes = new Map(rounds[at]);
        for (const place of places) {
          const number = classes.get(Number(place.dataset.location));
          for (let k = 0; k < 12; k++) place.classList.toggle(`k${k}`, number !== undefined && number % 12 === k);
          const chip = one(".chip, .class", place);
          if (chip) chip.textContent = number === undefined ? "" : number;
        }
        for (const article of all(".learnt article", view)) article.hidden = Number(article.dataset.round) !== at;
        one(".learnt", view).scrollTop = 0;
        const count = new Set(all(".places", view).flatMap((list, i) => all("li", list).map(li => `${i}:${one(".chip", li).textContent}`))).size;
        one(".count", view).textContent = `round ${at} of ${rounds.length - 1}, ${count} class${count === 1 ? "" : "es"}`;
        one(".first", view).disabled = one(".back", view).disabled = at === 0;
        one(".last", view).disabled = one(".forth", view).disabled = at === rounds.length - 1;
      };
      const buttons = { first: one(".first", view), back: one(".back", view), forth: one(".forth", view), last: one(".last", view), range: one(".at", view) };
      const self = stepper(buttons, rounds.length - 1, show);
      self.go(rounds.length - 1);
      return self;
    });
    if (views.length === 0) return;
    let active = 0;
    const choose = index => {
      active = index;
      all(".view").forEach((view, i) => { view.hidden = i !== index; });
      all("[data-tab]").forEach((tab, i) => tab.setAttribute("aria-selected", i === index));
    };
    all("[data-tab]").forEach((tab, index) => tab.addEventListener("click", () => choose(index)));
    choose(0);
    listen(() => views[active]);
  };

  if (data && data.kind === "run") run();
  if (data && data.kind === "proof") proof();
})();
