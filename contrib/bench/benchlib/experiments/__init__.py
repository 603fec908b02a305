"""The table of experiments. A new one is a file here and an entry in ALL."""

from . import cables, p2_fig12, p2_fig13, p2_fig15

ALL = [p2_fig12.FIG12, *p2_fig13.FIGURES, p2_fig15.FIG15, cables.CABLES]
BY_NAME = {experiment.name: experiment for experiment in ALL}
