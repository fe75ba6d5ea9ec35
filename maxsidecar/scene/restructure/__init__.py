"""Changing which objects a scene has: add, copy, delete and move them.

Storage indices are positions, so every change of the list of objects renumbers what stands behind
it.  Three rules keep that small (measured, see docs/format/references.md):

* new objects go in front of the Scene object, which is always the last one, so that nothing but the
  Scene object is renumbered;
* a deleted object leaves an empty one in its place; :func:`close_gaps` takes these out;
* a node moves only when it would stand in front of its new parent.

Every number in a declared place (:mod:`maxsidecar.scene.restructure.declared`) follows.  Where an
object of a class that was not searched may hold a number that changes, the change is refused.  A
change that fails leaves the scene as it was.

The most common ones are methods, too: :meth:`Scene.delete`, :meth:`Node.clone`,
:meth:`Node.delete` and :meth:`Node.reparent`.
"""

from __future__ import annotations

from maxsidecar.scene.restructure.build import add_object, set_reference
from maxsidecar.scene.restructure.clone import clone, clone_node
from maxsidecar.scene.restructure.delete import close_gaps, delete, gaps
from maxsidecar.scene.restructure.places import Held, IndexPlace, LeafIndices, declare, places_of
from maxsidecar.scene.restructure.reparent import reparent
from maxsidecar.scene.restructure.transaction import Transaction

__all__ = [
    "Held",
    "IndexPlace",
    "LeafIndices",
    "Transaction",
    "add_object",
    "clone",
    "clone_node",
    "close_gaps",
    "declare",
    "delete",
    "gaps",
    "places_of",
    "reparent",
    "set_reference",
]
