"""An emulated Ethernet cluster on one computer: network namespaces as hosts, a program as
links and switches, and mpirun on top of them.

How it hangs together
---------------------
`testbed up` and `testbed run` start the program once more as the *keeper* (keeper.py, the hidden
command __keep), as process 1 of private mount, network, process and (without root) user namespaces.
The keeper makes everything else inside them: a tmpfs over /run, a hosts file over /etc/hosts,
for each host a network and a UTS namespace, the virtual links, and the fabric. When the keeper
ends, for whatever reason, the kernel ends all its processes and forgets all its namespaces, so
that nothing can be left behind.

The state of a testbed is a directory NAME below state_base() (states.py): `lock` is held by the
keeper for as long as it lives, `state.json` has what other commands need, `fabric.sock` is the
fabric's control socket (control.py), `log` messages of the fabric and the keeper.

`testbed exec`, `shell` and `mpirun` join the keeper's namespaces and start their program there
(inside.py), with the caller's terminal, environment and working directory.
"""
