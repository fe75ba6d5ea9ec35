"""Whether what a scene's objects say of one another fits together.

A layout may be sound, and what it holds may still be impossible: an index outside the scene, a
parent that is no node, a block that counts parameters it does not have.  No real scene of the
corpus shows any of that; what is known from a few objects only, and the windows of the session,
give notes instead of problems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.scene.config import Config
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.config_places import read_config
from maxsidecar.scene.restructure.kinds import slot_kinds
from maxsidecar.scene.restructure.places import Held, IndexPlace, ReferenceLists, places_of_class
from maxsidecar.scene.scene import Scene

__all__ = ["LinkCheck"]

Report = Callable[[MaxSidecarError], None]
_Kinds: TypeAlias = Mapping[int, frozenset[int]]


class LinkCheck:
    """Looks at what objects hold.

    Args:
        scene: The scene.
        report: Called with every problem.
        note: Called with what is odd, but may be all right.
    """

    def __init__(self, scene: Scene, report: Report, note: Report) -> None:
        """Look up nothing yet."""
        self.scene = scene
        self.report = report
        self.note = note
        self._count = len(scene)
        #: Places, kinds of slots, and whether there are counts to look at, by chunk id.
        self._classes: dict[int, tuple[list[IndexPlace], _Kinds | None, bool]] = {}

    def check(self, obj: SceneObject) -> None:
        """Look at the storage indices in the declared places of an object, and at its counts."""
        chunk_id = self.scene.chunk_id(obj.index)
        known = self._classes.get(chunk_id)
        if known is None:
            counts = type(obj).problems is not SceneObject.problems
            known = self._classes[chunk_id] = places_of_class(obj.info), slot_kinds(obj), counts
        places, kinds, counts = known
        try:
            ids = {span[0] for span in obj.data.top()}
            for place in places:
                if ids.isdisjoint(place.starts):
                    continue
                # Most objects hold references only, of which nothing else can be wrong.
                if (
                    kinds is None
                    and isinstance(place, ReferenceLists)
                    and place.are_inside(obj, self._count)
                ):
                    continue
                self._check_place(obj, place, kinds or {})
            if counts:
                for problem in obj.problems():
                    self.report(problem)
        except MaxSidecarError as error:
            self.report(error)

    def _check_place(self, obj: SceneObject, place: IndexPlace, by_slot: _Kinds) -> None:
        for held in place.read(obj):
            if not 0 <= held.index < self._count:
                self.report(self._outside(obj, place, held))
                continue
            kinds = place.kinds if held.slot is None else by_slot.get(held.slot)
            if kinds:
                self._compare(obj, place, held, kinds)

    def _outside(self, obj: SceneObject, place: IndexPlace, held: Held) -> MaxSidecarError:
        return DecodeError(
            f"{_name(place, held)} leads outside the scene",
            obj.where,
            expected=f"0 to {self._count - 1}",
            found=held.index,
        )

    def _compare(
        self, obj: SceneObject, place: IndexPlace, held: Held, kinds: frozenset[int]
    ) -> None:
        info = self.scene.class_info(self.scene.chunk_id(held.index))
        if info is None or info.superclass in kinds:
            return
        error = DecodeError(
            f"{_name(place, held)} leads to an object of another kind",
            obj.where,
            expected=" or ".join(f"superclass {kind:x}" for kind in sorted(kinds)),
            found=f"{info.superclass:x} (object {held.index})",
        )
        (self.note if place.likely else self.report)(error)

    def check_config(self, config: Config) -> None:
        """Look at the objects that viewports and Track Views of the session name."""
        try:
            for what, index in read_config(config):
                if not 0 <= index < self._count:
                    self.note(
                        DecodeError(
                            f"{what} leads outside the scene",
                            config.where,
                            expected=f"0 to {self._count - 1}",
                            found=index,
                        )
                    )
        except MaxSidecarError as error:
            self.report(error)


def _name(place: IndexPlace, held: Held) -> str:
    return f"reference slot {held.slot}" if held.slot is not None else place.name
