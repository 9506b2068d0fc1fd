"""Growth as a page: for each family the time and the clauses over N, a line a variant, on logarithmic axes upwards."""

import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 460, 324, 60, 445, 14, 252
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9")
DASHES = ("none", "7 3", "2 3", "9 3 2 3")

STYLE = """:root { color-scheme: light dark; --line: #d0d0d0; }
@media (prefers-color-scheme: dark) { :root { --line: #3a3d44; } body { background: #16181c; color: #e6e6e6; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 64rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .3rem; }
.pair { display: flex; flex-wrap: wrap; gap: 1rem; }
svg { flex: 1 1 24rem; max-width: 31rem; font: 12px system-ui, sans-serif; }
svg text { fill: currentColor; } svg .grid { stroke: var(--line); }
"""


def page(runs, ratios, timeout):
    """One file, nothing fetched."""
    body = "<h1>Growth of engine scar</h1>\n"
    body += f"<p>Programs that are not decided within {timeout:g} s are left out.</p>\n<ul>\n"
    body += "".join(f"<li>{html.escape(line)}</li>\n" for line in ratios) + "</ul>\n"
    for family in dict.fromkeys(run["family"] for run in runs):
        mine = [run for run in runs if run["family"] == family]
        body += f"<h2>{family}</h2>\n<div class=\"pair\">\n"
        body += plot(mine, "seconds", "time in s") + plot(mine, "clauses", "clauses") + "</div>\n"
    head = f"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Growth of engine scar</title>\n"
    head += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    return head + f"<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"


def plot(runs, key, label):
    """The lines of all variants of one family."""
    decided = [run for run in runs if run["mark"] == "correct"]
    values = [max(run[key], 0.001) for run in decided] or [1]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    sizes = sorted({run["n"] for run in runs})

    def x(n):
        return LEFT + (RIGHT - LEFT) * (n - sizes[0]) / max(sizes[-1] - sizes[0], 1)

    def y(value):
        return BOTTOM - (BOTTOM - TOP) * (math.log10(max(value, 0.001)) - low) / (high - low)

    svg = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label} over N">\n'
    for power in range(low, high + 1):
        at = y(10**power)
        svg += f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        svg += f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g}</text>\n'
    for n in sizes:
        svg += f'<text x="{x(n):.1f}" y="{BOTTOM + 16}" text-anchor="middle">{n}</text>\n'
    svg += f'<text x="{LEFT}" y="{BOTTOM + 33}">{label} over N</text>\n'
    for index, name in enumerate(dict.fromkeys(run["variant"] for run in runs)):
        points = [(x(run["n"]), y(run[key]), run) for run in decided if run["variant"] == name]
        svg += line(index, name, points, key)
    return svg + "</svg>\n"


def line(index, name, points, key):
    colour = COLOURS[index % len(COLOURS)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    svg = f'<polyline fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{DASHES[index % 4]}" points="{path}"/>\n'
    for x, y, run in points:
        title = f"{name}, N = {run['n']}: {run[key]:g}"
        svg += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>{html.escape(title)}</title></circle>\n'
    at = LEFT + 125 * (index % 3), BOTTOM + 51 + 16 * (index // 3)
    svg += f'<line x1="{at[0]}" x2="{at[0] + 18}" y1="{at[1] - 4}" y2="{at[1] - 4}" stroke="{colour}" stroke-width="2" '
    svg += f'stroke-dasharray="{DASHES[index % 4]}"/><text x="{at[0] + 22}" y="{at[1]}">{html.escape(name)}</text>\n'
    return svg
