"""NeL (Ryzom Core): export flags, serial formats and exporters."""
