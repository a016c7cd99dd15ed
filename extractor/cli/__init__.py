"""The command line: one module per command. They parse, call, render and choose the exit code, nothing else."""
