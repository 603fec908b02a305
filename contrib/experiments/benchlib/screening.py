"""Many methods at many sizes: greater sizes only for those that are near the best by the smaller ones."""

import argparse

from .matrix import Rounds
from .progress import Progress


# Of each size up to options.screen, where differences are large.
SCREEN_LIMIT_S = 3


def fits(method, methods, size):
    """Whether its segments differ from those of the others of its family: longer ones than the
    message are all alike, and the shortest of these stands for them."""
    longer = [m.segment for m in methods if m.family == method.family
              and m.segment and m.segment >= size]
    return method.segment is None or method.segment < size or method.segment == min(longer)


def predicted_us(matrix, method, size):
    """
    What it will take, by the line through the two greatest sizes below that were measured; None if
    there are no two. Times of pipelines are linear in the number of segments, and those of whole
    messages in their length; segments longer than the smaller size make it too high.
    """
    known = [(s, matrix.median(method, s, "sync_median_us")) for s in matrix.sizes if s < size]
    known = [(s, time) for s, time in known if time is not None]
    if len(known) < 2:
        return None
    (smaller, before), (greater, time) = known[-2:]
    return time + max(0.0, (time - before) / (greater - smaller)) * (size - greater)


def promising(matrix, size, near):
    """The methods predicted to be within `near` times the best of their component at a size."""
    predicted = {m.name: predicted_us(matrix, m, size) for m in matrix.methods}
    best = {}
    for method in matrix.methods:
        time = predicted[method.name]
        if time is not None:
            best[method.component] = min(time, best.get(method.component, time))
    return [m for m in matrix.methods if predicted[m.name] is not None
            and predicted[m.name] <= near * best[m.component]]


def run_screened(place, matrix, options, on_group=lambda: None):
    """
    Measures all methods at the sizes up to options.screen, and then one size after the other with the
    promising ones. on_group is called after each, so that an interrupted run has written something.
    """
    small = [size for size in matrix.sizes if size <= options.screen]
    groups = [small] + [[size] for size in matrix.sizes if size > options.screen]
    for sizes in groups:
        wanted = matrix.methods if sizes is small \
            else promising(matrix, sizes[0], options.near)
        matrix.sizes_of_method = {
            m.name: [s for s in sizes if m in wanted and fits(m, matrix.methods, s)]
            for m in matrix.methods}
        limit = min(options.time_limit, SCREEN_LIMIT_S) if sizes is small else options.time_limit
        own = argparse.Namespace(**{**vars(options), "time_limit": limit})
        rounds = Rounds(place, matrix, own, pingpong_once=True)
        rounds.run(Progress(rounds.steps()))
        on_group()
    matrix.sizes_of_method = {}
