"""The outside world behind narrow seams: processes, sockets, files, clocks."""
