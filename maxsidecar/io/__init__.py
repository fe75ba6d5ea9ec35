"""Compound files, compressed streams and chunk trees: bytes in, bytes out."""
