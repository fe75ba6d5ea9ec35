"""Shapes: splines that the file stores, and parametric ones."""
