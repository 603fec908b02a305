"""What the drivers compare and paper share: places to run, methods, runs, tables and figures."""
