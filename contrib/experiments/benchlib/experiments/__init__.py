"""The table of experiments. A new one is a file here and an entry in ALL."""

from . import (auto, concurrent, dilation, discover, hosts, learn, links, p2_fig12, p2_fig13, p2_fig15, p2_fig16,
               p2_irregular, p2_table1, p2_table2, p2_table3, p2_thresholds, p3_arrival, p4_fig8, p4_grids,
               p4_trees, parallel, sharing)

ALL = [p2_table1.TABLE1, *p2_table2.TABLES, *p2_table3.TABLES, p2_thresholds.THRESHOLDS, p2_fig12.FIG12,
       p2_fig12.FIG17, *p2_fig13.FIGURES, p2_fig15.FIG15, p2_fig16.FIG16, p2_irregular.IRREGULAR,
       *p3_arrival.FIGURES, p4_fig8.FIG8, p4_trees.FIG9, p4_trees.FIG10, p4_trees.FIG10_BOTH,
       p4_grids.GRIDS_EXPERIMENT, auto.AUTO_EXPERIMENT, links.LINKS, parallel.PARALLEL, discover.DISCOVER, learn.LEARN,
       dilation.DILATION, concurrent.CONCURRENT, sharing.SHARING, hosts.HOSTS]
BY_NAME = {experiment.name: experiment for experiment in ALL}
