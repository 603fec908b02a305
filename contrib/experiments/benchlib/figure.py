"""Figures: message size, or something else, against time, as files that gnuplot draws."""

import os
import shlex
import shutil
import subprocess
from collections import namedtuple

from .units import bytes_text

# What stands at the axes.
Axis = namedtuple("Axis", "x y")
SIZES = Axis("message, bytes", "broadcast until the last rank has it, ms")


def write_blocks(path, blocks):
    """blocks: (name, [(x, microseconds or None), ...]); gnuplot reads them by index."""
    with open(path, "w", encoding="utf-8") as file:
        for name, points in blocks:
            file.write(f'"{name}"\n')
            for x, microseconds in points:
                if microseconds is not None:
                    file.write(f"{x} {microseconds / 1e3:.6f}\n")
            file.write("\n\n")


def plot_head(stem, title):
    """How every figure begins."""
    quoted = title.replace("'", "''")
    return (f"set terminal svg size 1000,640 dynamic background rgb 'white'\n"
            f"set output '{stem}.svg'\nset title '{quoted}' noenhanced\n")


def write_plot(directory, stem, title, ticks, blocks, log_y=True, axis=SIZES):
    """stem.dat, and stem.gp that draws it: the first block, what cannot be beaten, in black."""
    blocks = [block for block in blocks if any(us is not None for _, us in block[1])]
    write_blocks(os.path.join(directory, stem + ".dat"), blocks)
    with open(os.path.join(directory, stem + ".gp"), "w", encoding="utf-8") as file:
        file.write(plot_head(stem, title) + f"""\
set key outside right noenhanced
set grid
set logscale {'xy' if log_y else 'x'}
set xlabel '{axis.x}' noenhanced
set ylabel '{axis.y}' noenhanced
set xtics ({", ".join(f'"{bytes_text(s)}" {s}' for s in ticks)})
set xrange [{ticks[0] / 1.4}:{ticks[-1] * 1.4}]
{'' if log_y else 'set yrange [0:*]'}
plot '{stem}.dat' index 0 using 1:2 with linespoints linecolor 'black' title columnheader(1), \\
    for [i=1:{len(blocks) - 1}] '{stem}.dat' index i using 1:2 with linespoints linewidth 2 \\
    title columnheader(1)
""")


def draw(directory, stem):
    """Lets gnuplot draw. Yields a message about it."""
    if not shutil.which("gnuplot"):
        return ("no figure: gnuplot is not installed; "
                f"later: cd {shlex.quote(directory)} && gnuplot {stem}.gp")
    done = subprocess.run(["gnuplot", stem + ".gp"], cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        return f"no figure: gnuplot failed: {done.stdout.strip()[:300]}"
    return f"figure: {os.path.join(directory, stem + '.svg')}"
