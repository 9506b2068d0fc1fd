#!/usr/bin/env python3
"""Makes the pictures of README and book again: `docs/src/pictures/make.py` after any change to what they show.

REGRAIN names a binary to use instead of `./x`. The page is photographed in Chromium; the terminal is drawn from what Regrain prints with colours; graphs come from `--svg`.
"""

import base64
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.append(str(ROOT / "tests"))
from browser import Browser

# The colours of a terminal: those that counterexamples use, on a dark ground.
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#56d4dd"}
CHARACTER, LINE, MARGIN = 8.43, 19, 18


def regrain(*arguments):
    """What a command prints, verdicts of any kind being fine."""
    program = os.environ.get("REGRAIN", ROOT / "x")
    done = subprocess.run([program, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "80"})
    if done.returncode not in (0, 10, 5):
        sys.exit(f"regrain {' '.join(arguments)} failed")
    return done.stdout


def pieces(line):
    """The text of a line in pieces of one style: (text, colour, bold, dim)."""
    colour, bold, dim = None, False, False
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            for code in part[2:-1].split(";"):
                colour = COLOURS.get(code, None if code in ("", "0") else colour)
                bold = code == "1" or (bold and code not in ("", "0"))
                dim = code == "2" or (dim and code not in ("", "0"))
        elif part:
            yield part, colour, bold, dim


def terminal(text, title):
    """A picture of a terminal window with this text."""
    lines = text.rstrip("\n").split("\n")
    width = max(80, *(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)) * CHARACTER + 2 * MARGIN
    height = len(lines) * LINE + 2 * MARGIN + 28
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="img">',
           f"<title>{html.escape(title)}</title>",
           '<rect width="100%" height="100%" rx="10" fill="#0d1117"/>',
           *(f'<circle cx="{18 + 20 * i}" cy="18" r="6" fill="{fill}"/>' for i, fill in enumerate(["#ff5f57", "#febc2e", "#28c840"])),
           '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" fill="#e6edf3" xml:space="preserve">']
    for number, line in enumerate(lines):
        column = 0
        for part, colour, bold, dim in pieces(line):
            if part.strip():
                lead = len(part) - len(part.lstrip())
                x = MARGIN + (column + lead) * CHARACTER
                style = (f' fill="{colour}"' if colour else "") + (' font-weight="700"' if bold else "") + (' opacity="0.72"' if dim else "")
                text = html.escape(part.strip(), quote=False)
                out.append(f'<text x="{x:.1f}" y="{MARGIN + 40 + number * LINE}" textLength="{len(part.strip()) * CHARACTER:.1f}"{style}>{text}</text>')
            column += len(part)
    return "\n".join([*out, "</g>", "</svg>", ""])


def photograph(page, picture, height, script):
    """A picture of what a page shows after a script has run in it."""
    chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not chromium:
        sys.exit("make.py: there is no Chromium; ./x browser installs one")
    window = Browser(chromium)
    window.resize(1280, height)
    window.scheme("light")
    window.call("Emulation.setScrollbarsHidden", hidden=True)
    window.open(page)
    window.value(script)
    time.sleep(0.5)  # until colours have changed
    picture.write_bytes(base64.b64decode(window.call("Page.captureScreenshot", format="png")["data"]))
    window.close()


def main():
    store_buffering = "benchmarks/litmus/dekker-core.c"
    command = f"verify --mm tso {store_buffering}"
    shown = regrain(*command.split(), "--color", "always").split("\nEngine: ")[0]
    (HERE / "terminal.svg").write_text(terminal(f"\x1b[32m$\x1b[0m regrain {command}\n{shown}", "A counterexample in the terminal"))
    regrain("verify", "--mm", "tso", "--svg", str(HERE / "events.svg"), store_buffering)
    regrain("partition", "--granularity", "statement", "--svg", str(HERE / "partition.svg"), "benchmarks/mutex/bakery.c")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        regrain("verify", "--mm", "tso", "--html", str(page), store_buffering)
        photograph(page, HERE / "page.png", 800, "document.querySelector('.step[data-step=\"9\"]').click()")
        regrain("verify", "--engine", "cegar", "--granularity", "statement", "--html", str(page), "benchmarks/mutex/bakery.c")
        photograph(page, HERE / "proof.png", 900, "document.getElementById('partition').scrollIntoView()")


if __name__ == "__main__":
    main()
