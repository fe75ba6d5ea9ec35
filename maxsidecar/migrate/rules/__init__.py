"""Rules that say how paths are renamed: matching as Windows compares paths, in bounded time."""
