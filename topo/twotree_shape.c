/*
 * Shapes: what an edge is taken to cost.
 */
#include "topo/twotree_internal.h"
#include <stdio.h>

/** Links between a vertex and the ranks attached to it. */
static int cable(const pb_view_t *view, int v)
{
    const pb_network_t *network = view->placement->network;
    return pb_network_node(network, view->vertices[v].node)->kind == PB_NODE_SWITCH;
}

/**
 * In the links model a segment takes one segment time per link, and one between
 * two ranks of a machine. Times are those at which a rank attached to the
 * vertex would receive, so crossing costs the links between the two vertices,
 * more or less the difference of what is at their ends.
 */
static void set_links_costs(pb_tt_t *tt, int *path)
{
    const pb_view_t *view = tt->view;
    for (int v = 0; v < view->n_vertices; v++) {
        tt->costs.first[v] = cable(view, v) ? 2 : 1;
        tt->costs.in[v] = tt->costs.out[v] = 0;
        const int parent = view->vertices[v].parent;
        if (parent >= 0) {
            const int n_links =
                pb_network_path(view->placement->network, view->vertices[parent].node,
                                view->vertices[v].node, path);
            tt->costs.in[v] = n_links + cable(view, v) - cable(view, parent);
            tt->costs.out[v] =
                cable(view, v) + n_links + cable(view, parent) - tt->costs.first[v];
        }
    }
}

#include <stdlib.h>
#include <math.h>
void pb_tt_set_costs(pb_tt_t *tt, pb_tt_shape_t shape, int *path)
{
    if (getenv("TTF")) {
      int f,st,tr; sscanf(getenv("TTF"),"%d,%d,%d",&f,&st,&tr);
      set_links_costs(tt,path); tt->costs.step=st;
      for (int v = 0; v < tt->view->n_vertices; v++) { tt->costs.first[v]=f; tt->costs.in[v]*=tr; tt->costs.out[v]*=tr;}
      double g=1.01; while (pow(g,-f)+pow(g,-f-st)>1) g+=0.001; tt->costs.growth=g; return;
    }
    static const double growth[PB_TT_SHAPES] = {2.0, 1.618, 1.325};
    tt->costs.step = shape == PB_TT_HEIGHT ? 0 : 1;
    tt->costs.growth = growth[shape];
    if (shape == PB_TT_LINKS) {
        set_links_costs(tt, path);
        return;
    }
    for (int v = 0; v < tt->view->n_vertices; v++) {
        tt->costs.first[v] = 1;
        tt->costs.in[v] = tt->costs.out[v] = 0;
    }
}
