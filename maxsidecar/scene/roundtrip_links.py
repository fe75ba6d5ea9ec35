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
from maxsidecar.scene.params.block2 import ParamBlock2
from maxsidecar.scene.restructure.config_places import read_config
from maxsidecar.scene.restructure.kinds import NO_NODES, slot_kinds, stack_kinds
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
        ids = [scene.chunk_id(index) for index in range(self._count)]
        infos = {chunk_id: scene.class_info(chunk_id) for chunk_id in set(ids)}
        nodes = {one for one, info in infos.items() if info is not None and info.superclass == 1}
        self._nodes = frozenset(index for index, one in enumerate(ids) if one in nodes)
        #: Places, kinds of slots, whether there are counts to look at, and the objects that no
        #: reference leads to, by chunk id.
        self._classes: dict[int, tuple[list[IndexPlace], _Kinds | None, bool, frozenset[int]]] = {}
        #: The owner that was looked at last, and what it refers to.
        self._owner: tuple[int, frozenset[int]] = -1, frozenset()
        #: Owner and number of the blocks that were seen.
        self._blocks: set[tuple[int, int]] = set()

    def check(self, obj: SceneObject) -> None:
        """Look at the storage indices in the declared places of an object, and at its counts."""
        chunk_id = self.scene.chunk_id(obj.index)
        known = self._classes.get(chunk_id)
        if known is None:
            counts = type(obj).problems is not SceneObject.problems
            apart = self._nodes if obj.superclass in NO_NODES else frozenset()
            known = places_of_class(obj.info), slot_kinds(obj), counts, apart
            self._classes[chunk_id] = known
        places, kinds, counts, apart = known
        try:
            if obj.is_derived:
                kinds = stack_kinds(obj)
            ids = {span[0] for span in obj.data.top()}
            for place in places:
                if ids.isdisjoint(place.starts):
                    continue
                # Most objects hold references only, of which nothing else can be wrong.
                if (
                    kinds is None
                    and isinstance(place, ReferenceLists)
                    and place.are_plain(obj, self._count, apart)
                ):
                    continue
                self._check_place(obj, place, kinds or {}, apart)
            if counts:
                for problem in obj.problems():
                    self.report(problem)
            if isinstance(obj, ParamBlock2):
                self._check_block(obj)
        except MaxSidecarError as error:
            self.report(error)

    def _check_block(self, block: ParamBlock2) -> None:
        """Look whether the owner holds the block, and no other with its number."""
        header = block.header
        owner = header.owner
        if not 0 <= owner < self._count:
            return
        # The blocks of an owner stand one behind the other.
        if self._owner[0] != owner:
            self._owner = owner, frozenset(self.scene[owner].references.values())
        if block.index not in self._owner[1]:
            self.note(
                DecodeError(
                    f"the owner of a parameter block (object {owner}) does not hold it",
                    block.where,
                )
            )
            return
        key = owner, header.block_id
        if key in self._blocks:
            self.report(
                DecodeError(
                    f"object {owner} holds two parameter blocks of one number",
                    block.where,
                    found=header.block_id,
                )
            )
        self._blocks.add(key)

    def _check_place(
        self, obj: SceneObject, place: IndexPlace, by_slot: _Kinds, apart: frozenset[int]
    ) -> None:
        for held in place.read(obj):
            if not 0 <= held.index < self._count:
                self.report(self._outside(obj, place, held))
                continue
            kinds = place.kinds if held.slot is None else by_slot.get(held.slot)
            if held.slot is not None and held.index == obj.index:
                self.report(
                    DecodeError(f"{_name(place, held)} leads to the object itself", obj.where)
                )
            elif kinds:
                self._compare(obj, place, held, kinds)
            elif held.slot is not None and held.index in apart:
                self.note(
                    DecodeError(
                        f"{_name(place, held)} leads to a node, as no such object is known to",
                        obj.where,
                        found=held.index,
                    )
                )

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
