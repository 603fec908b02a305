"""A picture of bars: times of broadcasts in multiples of T(M), which no tree can be faster than."""

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
    width = LEFT + MOST * UNIT + RIGHT
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{y:.0f}" '
                      f'viewBox="0 0 {width:.0f} {y:.0f}" font-family="sans-serif" font-size="14">',
                      f'<rect width="100%" height="100%" fill="{CUT}"/>', *lines, "</svg>", ""])
