"""Layouts of numbers that geometry, shapes and bones of bipeds keep beside meshes and keys.

Measured on the corpus, as those of :mod:`maxsidecar.scene.layouts_scene`.  A module that decodes
a class in full registers its own view, and its line goes from here.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.layouts import register_layouts

__all__: list[str] = []

_TABLE: Final = """
10/0/10 Box; 0100=u8 0110=u32
11/0/10 Sphere; 0100=mark
12/0/10 Cylinder; 0100=u32
20/0/10 Torus; 0100=mark
9125/0/10 BipedObject; 2602=u32x6 2603=u32
"""

register_layouts(_TABLE)
