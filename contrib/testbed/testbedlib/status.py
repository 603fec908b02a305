"""What was counted, as tables for people."""

from pipebcast_sizes import show_rate

from .counters import measure
from .quantities import show_time
from .topology import has_parallel_links


def describe_network(facts):
    """The network in a line."""
    dilation = facts["dilation"]
    text = (
        f"{len(facts['hosts'])} hosts of {facts['topology']}, {show_rate(facts['rate'] * dilation)}, "
        f"{show_time(facts['latency'] // dilation)} per link"
    )
    if dilation > 1:
        text += f", dilated {dilation} times"
    return text + (f", hash seed {facts['hash_seed']}" if has_parallel_links(facts) else "")


def late_share(classes, share):
    """The least power of two of microseconds that `share` of the frames kept to."""
    total, seen = sum(classes), 0
    for power, count in enumerate(classes):
        seen += count
        if total and seen >= share * total:
            return 2**power
    return 0


def show_fabric(own, out):
    frames = own["delivered"]
    cost = f", {1e6 * own['cpu_seconds'] / frames:.1f} us per frame" if frames else ""
    load = 100 * own["cpu_seconds"] / max(own["seconds"], 1e-9)
    late = own["late_classes"]
    print(
        f"fabric: {frames} frames in {own['seconds']:.1f} s, {load:.1f} % of a CPU{cost}, "
        f"priority {own['priority']}\n"
        f"late:   mean {own['late_mean'] / 1e3:.0f} us, half below {late_share(late, 0.5)} us, "
        f"99 % below {late_share(late, 0.99)} us, most {own['late_max'] / 1e3:.0f} us",
        file=out,
    )
    if own["planned"]:
        print(f"script: {own['planned']} steps to come or loads that last", file=out)
    troubles = {
        "overruns": "frames lost because the fabric got too little CPU: distrust this measurement",
        "oversized": "frames longer than the MTU: an offload is on",
        "refused": "frames that a host's kernel did not take",
        "strays": "frames to addresses that no host has",
    }
    for key, meaning in troubles.items():
        if own[key]:
            print(f"trouble: {own[key]} {meaning}", file=out)


def show_switches(switches, out):
    """What switches did with group frames, where they did anything but copy them."""
    for name, values in switches.items():
        if not values["multicast"] or values["multicast_drops"]:
            print(f"switch {name}: multicast {'on' if values['multicast'] else 'off'}, "
                  f"{values['multicast_drops']} frames dropped", file=out)  # fmt: skip


def link_end(facts, link, end):
    """The name of a link's end; with a number where that stands for several switches."""
    name = link[end]
    return f"{name}/{link[end + '_switch']}" if name in facts["merged"] else name


def show_links(facts, links, out):
    loaded = any(link["load_frames"] or link["load_drops"] for link in links)
    parallel = has_parallel_links(facts)
    rows = [("FROM", "TO", *(["MEMBER"] if parallel else []), "RATE", "LATENCY", "FRAMES", "BYTES",
             "DROPS", "QUEUE", "PEAK", "BUSY",
             *(["LOAD", "LOAD-DROPS", "LOAD-BUSY"] if loaded else []))]  # fmt: skip
    for link in links:
        rows.append(
            (
                link_end(facts, link, "from"), link_end(facts, link, "to"),
                *([str(link["member"])] if parallel else []),
                show_rate(link["rate"]), show_time(link["latency"]),
                *(str(link[key]) for key in ("frames", "bytes", "drops", "queue")),
                "-" if link["queue_peak"] is None else str(link["queue_peak"]),
                "-" if link["busy"] is None else show_time(link["busy"]),
                *([str(link["load_bytes"]), str(link["load_drops"]), show_time(link["load_busy"])]
                  if loaded else []),
            )
        )  # fmt: skip
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        print("  ".join(cells).rstrip(), file=out)


def show_status(state, facts, out):
    own, links = measure(state, facts)
    print(f"testbed '{facts['name']}': {describe_network(facts)}", file=out)
    if facts["kind"] == "kernel":
        print("fabric: bridges and token buckets of the kernel, which know no latency", file=out)
    else:
        show_fabric(own, out)
        show_switches(own["switches"], out)
    lost = sum(link["drops"] for link in links if link["from"] in facts["hosts"])
    if lost:
        print(
            f"trouble: {lost} frames lost in hosts' own queues, where a real host would have held "
            "the sender up: see --host-queue",
            file=out,
        )
    show_links(facts, links, out)
