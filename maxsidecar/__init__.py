"""maxsidecar: open, edit and convert 3ds Max scenes without 3ds Max."""

__version__ = "0.1.0"
