"""The experiments of which there are claims. A new one is a file here and an entry in ALL."""

from . import choices, dilated, firsts, p2_costs, p2_fig12, p2_fig13, p2_fig15, p2_fig16, p2_fig5, p2_irregular, p2_table1, p2_table3, p3_arrival, p3_theorems, p4_fig8, p4_trees, sharing, simulated

# Each has name, figure, claims, and view(samples), which yields a View; samples are those of all experiments, by name.
ALL = [p2_fig5.FIG5, p2_table1.TABLE1, *p2_costs.COSTS, p2_table3.TABLE3_EXPERIMENT, p2_fig12.FIG12, p2_fig12.FIG17, *p2_fig13.FIGURES, p2_fig15.FIG15,
       p2_fig16.FIG16, p2_irregular.IRREGULAR, *p3_arrival.FIGURES, p3_theorems.THEOREMS, p4_fig8.FIG8, p4_trees.FIG9, p4_trees.FIG10,
       p4_trees.FIG10_BOTH, p4_trees.SIZES_64, sharing.SHARING, simulated.SIMULATED_EXPERIMENT, dilated.DILATED, firsts.FIRSTS,
       choices.CHOICES]
# What measures, or computes, the samples of an experiment; the others are measured by the program `samples` itself.
MEASURED = {"costs": p2_costs.measure, "p2-table3": p2_table3.measure, "p2-irregular": p2_irregular.measure, "p2-fig5": p2_fig5.measure, "sharing": sharing.measure, "simulated": simulated.measure,
            "p3-theorems": p3_theorems.measure,
            **{figure.name: figure.measure for figure in [*p3_arrival.FIGURES, p4_fig8.FIG8, p4_trees.FIG9, p4_trees.FIG10,
                                                          p4_trees.FIG10_BOTH, p4_trees.SIZES_64]}}
