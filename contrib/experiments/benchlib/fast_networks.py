"""Networks of today's speeds, for experiments that are measured and such that are computed."""

FOUR_HOSTS = "SwitchName=s0 Nodes=n[0-3]\n"
# (4) with trunks of four times a host's speed.
FAST_TRUNKS = "".join([f"SwitchName=s{i} Nodes=n[{8 * i}-{8 * i + 7}] LinkSpeed=1\n" for i in range(4)]
                      + [f"SwitchName=s{i} Switches=s{i + 1} LinkSpeed=4\n" for i in range(3)])
# Of each link, one way.
LATENCY_NS = 3000
