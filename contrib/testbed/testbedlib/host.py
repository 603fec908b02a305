"""Host files: what messages cost a host's processor."""

from .failure import Failure

# Nanoseconds, in the order in which the preloaded library takes those that it charges.
CHARGED = ("send_call", "send_byte", "receive_call", "receive_byte", "datagram", "wake")
INTERRUPT = "interrupt"


def read_host(path):
    """The costs of a host file: lines of a name and nanoseconds, # before comments."""
    costs = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise Failure(f"--host {path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            name, value = words[0], float(words[1])
            if len(words) != 2 or name not in (*CHARGED, INTERRUPT) or not 0 <= value <= 1e6:
                raise ValueError
        except (IndexError, ValueError):
            raise Failure(f"{path}:{number}: '{line.strip()}' is not NAME NANOSECONDS of "
                          f"{', '.join((*CHARGED, INTERRUPT))}") from None  # fmt: skip
        costs[name] = value
    missing = [name for name in (*CHARGED, INTERRUPT) if name not in costs]
    if missing:
        raise Failure(f"{path}: {missing[0]} is missing")
    costs[INTERRUPT] = round(costs[INTERRUPT])
    return costs


def costs_text(costs):
    """The costs as the preloaded library reads them."""
    return " ".join(f"{costs[name]:g}" for name in CHARGED)
