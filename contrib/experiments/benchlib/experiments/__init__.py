"""The table of experiments. A new one is a file here and an entry in ALL."""

from . import (auto, discover, learn, links, p2_fig12, p2_fig13, p2_fig15, p2_fig16, p2_table2, p2_table3,
               p3_arrival, p4_fig8, parallel)

ALL = [*p2_table2.TABLES, *p2_table3.TABLES, p2_fig12.FIG12, *p2_fig13.FIGURES, p2_fig15.FIG15,
       p2_fig16.FIG16, *p3_arrival.FIGURES, p4_fig8.FIG8, auto.AUTO_EXPERIMENT, links.LINKS,
       parallel.PARALLEL, discover.DISCOVER, learn.LEARN]
BY_NAME = {experiment.name: experiment for experiment in ALL}
# Names of earlier releases, which go on working.
FORMER_NAMES = {"cables": links.LINKS.name}
