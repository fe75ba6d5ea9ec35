"""The game's files as neutral records, for other formats: see :mod:`maxsidecar.scene.records`."""
