"""Pictures: bars and curves of times of broadcasts, mostly in multiples of T(M), which no tree can be faster than."""

import math
from collections import namedtuple
from xml.sax.saxutils import escape

# One bar: its name, its ratio to T(M), and whether it is pipebcast's.
Bar = namedtuple("Bar", "name ratio ours")
# Bars below one heading.
Panel = namedtuple("Panel", "title bars")

# A longer bar is cut here; its number tells.
MOST = 8.0
# Of the picture, in pixels.
LEFT, UNIT, RIGHT, ROW, HEAD = 270, 60, 70, 26, 34
OURS, OTHERS, LIMIT, CUT = "#1b6ca8", "#b9bec4", "#c0392b", "#ffffff"


def _text(x, y, text, more=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {more}>{escape(text)}</text>'


def _bar(bar, y):
    """The elements of a bar whose row begins at y."""
    right = LEFT + min(bar.ratio, MOST) * UNIT
    middle = y + ROW / 2 + 5
    weight = 'font-weight="bold"' if bar.ours else ""
    lines = [_text(LEFT - 8, middle, bar.name, f'text-anchor="end" {weight}'),
             f'<rect x="{LEFT}" y="{y + 4}" width="{right - LEFT:.1f}" height="{ROW - 8}" '
             f'fill="{OURS if bar.ours else OTHERS}"/>',
             _text(right + 6, middle, f"{bar.ratio:.2f}" if bar.ratio < 10 else f"{bar.ratio:.0f}", weight)]
    if bar.ratio > MOST:
        lines.append(f'<path d="M{right - 18} {y + ROW} l8 {-ROW}" stroke="{CUT}" stroke-width="4"/>')
    return lines


def _panel(panel, y):
    """The elements of a panel that begins at y, and the y below it."""
    lines = [_text(LEFT, y + 20, panel.title, 'font-weight="bold"')]
    end = y + HEAD + ROW * len(panel.bars)
    for number, bar in enumerate(panel.bars):
        lines += _bar(bar, y + HEAD + ROW * number)
    lines.append(f'<path d="M{LEFT + UNIT} {y + HEAD - 4} V{end}" stroke="{LIMIT}" stroke-width="2"/>')
    lines.append(_text(LEFT + UNIT, end + 16, "one message between two hosts", f'fill="{LIMIT}" text-anchor="middle"'))
    return lines, end + 34


def bars_svg(title, panels, note=""):
    """The picture: each panel's bars in the order given, and the limit as a line."""
    lines, y = [_text(16, 28, title, 'font-size="17"')], 40
    for panel in panels:
        more, y = _panel(panel, y)
        lines += more
    if note:
        lines.append(_text(16, y + 6, note, 'fill="#555555"'))
        y += 20
    return _svg(LEFT + MOST * UNIT + RIGHT, y, lines)


def _svg(width, y, lines):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{y:.0f}" '
                      f'viewBox="0 0 {width:.0f} {y:.0f}" font-family="sans-serif" font-size="14">',
                      f'<rect width="100%" height="100%" fill="{CUT}"/>', *lines, "</svg>", ""])


# A curve: its name, its points (x, y), and whether it is pipebcast's.
Curve = namedtuple("Curve", "name points ours")
# Curves below one heading; ticks: {x: label}.
Diagram = namedtuple("Diagram", "title ticks curves")

# Of a diagram, in pixels; both axes are logarithmic.
AXIS, WIDE, HIGH, NAMES, LETTERS = 40, 330, 210, 190, 13
STEPS = (1, 2, 5, 10, 20, 50)
GREYS = ("#7a7f85", "#a0522d", "#6a8f3f", "#8d6cab", "#b08d2f", "#4f9a94")


def _spread(heights):
    """Heights of names, moved down where two are too near; ascending."""
    placed = []
    for height in heights:
        placed.append(max(height, placed[-1] + LETTERS) if placed else height)
    return placed


def _diagram(diagram, left, top):
    """The elements of a diagram."""
    xs, every = list(diagram.ticks), [y for curve in diagram.curves for _, y in curve.points]
    least, most = min(1, *every), max(2, *every) * 1.1

    def at(x, y):
        return (left + AXIS + WIDE * math.log(x / xs[0]) / math.log(xs[-1] / xs[0]),
                top + HIGH * (1 - math.log(y / least) / math.log(most / least)))

    lines = [_text(left + AXIS, top - 14, diagram.title, 'font-weight="bold"')]
    for step in (step for step in STEPS if least <= step <= most):
        height = at(xs[0], step)[1]
        lines.append(f'<path d="M{left + AXIS} {height:.1f} h{WIDE}" stroke="{LIMIT if step == 1 else "#e4e4e4"}"/>')
        lines.append(_text(left + AXIS - 6, height + 4, str(step), 'text-anchor="end"'))
    lines += [_text(at(x, least)[0], top + HIGH + 18, label, 'text-anchor="middle"') for x, label in diagram.ticks.items()]
    others = iter(GREYS * len(diagram.curves))
    drawn = sorted(((curve, OURS if curve.ours else next(others)) for curve in diagram.curves), key=lambda item: -item[0].points[-1][1])
    for (curve, color), height in zip(drawn, _spread([at(*curve.points[-1])[1] for curve, _ in drawn])):
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in curve.points))
        end = at(*curve.points[-1])
        lines.append(f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="{2.5 if curve.ours else 1.5}"/>')
        lines.append(_text(end[0] + 6, height + 4, curve.name, f'fill="{color}"' + (' font-weight="bold"' if curve.ours else "")))
    return lines


def curves_svg(title, diagrams, note=""):
    """The picture: diagrams side by side; a line marks 1."""
    lines, y = [_text(16, 28, title, 'font-size="17"')], 84 + HIGH + 40
    for number, diagram in enumerate(diagrams):
        lines += _diagram(diagram, 16 + number * (AXIS + WIDE + NAMES), 84)
    if note:
        lines.append(_text(16, y, note, 'fill="#555555"'))
    return _svg(16 + len(diagrams) * (AXIS + WIDE + NAMES), y + 16, lines)
