"""Geometry: neutral records, the views of stored meshes, and what makes meshes of objects.

:mod:`~maxsidecar.scene.geometry.mesh` is the record that everything gives and takes,
:mod:`~maxsidecar.scene.geometry.pipeline` evaluates an object with its stack of modifiers.
"""
