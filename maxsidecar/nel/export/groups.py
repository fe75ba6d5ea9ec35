"""Instance groups (``.ig``): instances, clusters, portals and point lights.

Nodes say with IGNAME which group they go to (spec: nel-export-rules, sections 2 and 6; measured on
street.max and its street.ig).  Different from the plug-in: the number of an instance's parent is
right where there are dummies among the nodes, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import isfinite
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.export import clusters as shapes_of_rooms
from maxsidecar.nel.export.lights import point_light, sorted_lights
from maxsidecar.nel.export.registry import (
    Failure,
    Job,
    LeftOut,
    Process,
    Product,
    Stage,
    Step,
    register,
)
from maxsidecar.nel.export.shapes import shape_exporter
from maxsidecar.nel.export.view import GEOMETRY, HELPER, LIGHT
from maxsidecar.nel.serial.classes.instance_group import (
    CCluster,
    CInstance,
    CInstanceGroup,
    CPortal,
)
from maxsidecar.nel.serial.classes.particle_system import CParticleSystemShape
from maxsidecar.nel.serial.classes.point_light import CPointLightNamed
from maxsidecar.nel.serial.formats import NelFile
from maxsidecar.nel.shape.placement import placement_of
from maxsidecar.nel.shape.values import Values

if TYPE_CHECKING:
    import numpy.typing as npt

    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.nel.shape.dispatch import ShapeExporter
    from maxsidecar.scene.geometry.mesh import Mesh
    from maxsidecar.scene.node import Node

__all__ = ["NO_GROUP", "GroupBuilder", "export"]

#: Why a node is in no group that nobody put into one.
NO_GROUP: Final = "no IGNAME says which group it goes to"

_PORTAL, _CLUSTER, _NEITHER = 1, 2, 3
# Bits of ACCEL.
_FATHER_VISIBLE, _VISIBLE_FROM_FATHER, _DYNAMIC = 4, 8, 16
_CLUSTERIZE, _AUDIBLE_APART = 32, 64
_FATHER_AUDIBLE, _AUDIBLE_FROM_FATHER = 128, 256
#: Texts that stand for nothing.
_NOTHING: Final = frozenset({"no sound", "no fx", "no occlusion"})


def group_nodes(job: Job) -> tuple[dict[str, list[Node]], list[LeftOut]]:
    """Return the nodes of each group, and the others with their reasons.

    Groups are in the order in which the scene names them; within one there is geometry first, then
    lights, then helpers.
    """
    view = job.view
    names: dict[int, str] = {}
    left: list[LeftOut] = []
    groups: dict[str, list[Node]] = {}
    for node in view.nodes:
        name = view.flags(node).text("IGNAME") or job.group
        if view.kind(node) not in (GEOMETRY, LIGHT, HELPER):
            left.append(LeftOut(node, f"a {view.kind(node)} is never an instance"))
        elif not name:
            left.append(LeftOut(node, NO_GROUP))
        else:
            names[node.index] = name
            groups.setdefault(name, [])
    for node in view.of_kinds(GEOMETRY, LIGHT, HELPER):
        if node.index in names:
            groups[names[node.index]].append(node)
    return groups, left


def export(job: Job) -> Iterator[Step]:
    """Yield the groups of the scene."""
    groups, left = group_nodes(job)
    yield from left
    for name, nodes in groups.items():
        yield from export_group(job, name, nodes)


def export_group(job: Job, name: str, nodes: Sequence[Node]) -> Iterator[Step]:
    """Yield the group that nodes give, and those of them that are not in it.

    Args:
        job: The scene.
        name: Name of the group.
        nodes: The nodes, in the order that the file will have.
    """
    builder = GroupBuilder(job.view, shape_exporter(job))
    yield from builder.add(nodes)
    if not builder.used:
        return
    group = builder.build()
    yield Product(
        name,
        ".ig",
        NelFile("ig", group),
        builder.used,
        node_notes=builder.notes,
        lower=False,
    )


@dataclass(slots=True)
class GroupBuilder:
    """Collects what goes into one group.

    Attributes:
        view: The scene.
        exporter: Finds the particle systems that nodes name.
        used: The nodes that are in the group.
        notes: What is in doubt about each, by storage index.
    """

    view: SceneView
    exporter: ShapeExporter
    used: list[Node] = field(default_factory=list)
    notes: dict[int, list[str]] = field(default_factory=dict)
    clusters: list[CCluster] = field(default_factory=list)
    portals: list[CPortal] = field(default_factory=list)
    instances: list[CInstance] = field(default_factory=list)
    lights: list[CPointLightNamed] = field(default_factory=list)
    sun: bool = False
    _instance_nodes: list[Node] = field(default_factory=list)

    def add(self, nodes: Sequence[Node]) -> Iterator[Step]:
        """Take nodes in their order, and yield those that are not taken."""
        for node in nodes:
            try:
                step = self._take(node)
            except MaxSidecarError as error:
                step = Failure(node, error.message)
            if step is not None:
                yield step
            else:
                self.used.append(node)

    def _take(self, node: Node) -> Step | None:
        view = self.view
        if view.kind(node) == LIGHT:
            light, reason, sun = point_light(view, node)
            self.sun |= sun
            if light is not None:
                self.lights.append(light)
            elif not sun:
                off = view.flags(node).integer("EXPORT_REALTIME_LIGHT") != 1
                return LeftOut(node, reason, off)
            return None
        if view.is_patches(node):
            return LeftOut(node, "it is a patch of the landscape")
        sort = view.accelerator(node)
        if sort == _NEITHER:
            return LeftOut(node, "ACCEL says both portal and cluster", True)
        if view.flags(node).integer("COLLISION") == 1 and not view.is_dummy(node):
            return LeftOut(node, "COLLISION is set", True)
        if not view.has_surface(node) and (sort or not view.is_dummy(node)):
            return LeftOut(node, "it is neither a mesh nor a dummy")
        if sort == _CLUSTER:
            self.clusters.append(self._cluster(node))
        elif sort == _PORTAL:
            self.portals.append(self._portal(node))
        else:
            self.instances.append(self._instance(node))
            self._instance_nodes.append(node)
        return None

    def _tell(self, node: Node, note: str) -> None:
        self.notes.setdefault(node.index, []).append(note)

    def _mesh(self, node: Node) -> tuple[npt.NDArray[np.float32], Mesh] | None:
        """Return the mesh of a node and its vertices in the world."""
        mesh = self.view.mesh(node)
        for note in self.view.mesh_notes(node):
            self._tell(node, note)
        if mesh is None or not len(mesh.positions):
            return None
        return self.view.world_positions(node, mesh), mesh

    def _cluster(self, node: Node) -> CCluster:
        flags = self.view.flags(node)
        bits = flags.integer("ACCEL")
        found = self._mesh(node)
        if found is None:
            raise MaxSidecarError("the cluster has no mesh that can be evaluated")
        points, mesh = found
        made = shapes_of_rooms.volume(points, mesh.faces)
        if not len(made.planes):
            raise MaxSidecarError("the cluster has no face with an area")
        if made.outside:
            self._tell(node, f"the cluster is not convex: {made.outside} faces are left out")
        if made.flat:
            self._tell(node, f"{made.flat} faces without area are left out")
        visible, from_father = bool(bits & _FATHER_VISIBLE), bool(bits & _VISIBLE_FROM_FATHER)
        apart = bool(bits & _AUDIBLE_APART)
        return CCluster(
            name=self.view.name(node),
            volume=made.planes,
            bbox=made.box,
            father_visible=visible,
            visible_from_father=from_father,
            sound_group=_named(flags.text("SOUND_GROUP")),
            env_fx=_named(flags.text("ENV_FX")),
            father_audible=bool(bits & _FATHER_AUDIBLE) if apart else visible,
            audible_from_father=bool(bits & _AUDIBLE_FROM_FATHER) if apart else from_father,
        )

    def _portal(self, node: Node) -> CPortal:
        flags = self.view.flags(node)
        found = self._mesh(node)
        if found is None:
            raise MaxSidecarError("the portal has no mesh that can be evaluated")
        points, mesh = found
        around = points[shapes_of_rooms.polygon(mesh.faces)]
        if not shapes_of_rooms.flat(around):
            raise MaxSidecarError("the portal is not flat")
        dynamic = bool(flags.integer("ACCEL") & _DYNAMIC)
        name = flags.text("INSTANCE_NAME") or self.view.name(node)
        return CPortal(
            poly=around,
            name=name if dynamic else "",
            occlusion_model=_named(flags.text("OCC_MODEL")),
            open_occlusion_model=_named(flags.text("OPEN_OCC_MODEL")),
        )

    def _instance(self, node: Node) -> CInstance:
        view, flags = self.view, self.view.flags(node)
        placed = placement_of(view.start, node)
        values = (*placed.position, *placed.rotation, *placed.scale)
        if not all(isfinite(value) for value in values):
            raise MaxSidecarError("its place is no finite number")
        for note in view.pose_notes(node):
            self._tell(node, note)
        return CInstance(
            visible=flags.integer("CAMERA_COLLISION_MESH_GENERATION") != 3,
            dont_cast_shadow_for_exterior=flags.on("LIGHT_DONT_CAST_SHADOW_EXTERIOR"),
            dont_cast_shadow_for_interior=flags.on("LIGHT_DONT_CAST_SHADOW_INTERIOR"),
            instance_name=flags.text("INSTANCE_NAME") or view.name(node),
            dont_add_to_scene=flags.on("DONT_ADD_TO_SCENE"),
            name=self._shape_name(node),
            pos=placed.position,
            rot=placed.rotation,
            scale=placed.scale,
        )

    def _shape_name(self, node: Node) -> str:
        """Return the file name of the shape that an instance shows, as the plug-in spells it."""
        view = self.view
        base = view.base(node)
        if base is not None and view.is_particles(node):
            value = Values(base, view.time).text("ps_file_name")
            if value:
                return _file_name(value)
        named = view.flags(node).text("INSTANCE_SHAPE")
        if named:
            return named
        for obj in (node.reference(1), base):
            named = view.flags(obj).text("INSTANCE_SHAPE") if obj is not None else ""
            if named:
                return _file_name(named)
        return view.name(node)

    def build(self) -> CInstanceGroup:
        """Return the group of all that was taken."""
        self._link_parents()
        self._link_instances()
        links = self._link_portals()
        return CInstanceGroup(
            real_time_sun_contribution=self.sun,
            point_lights=sorted_lights(self.lights),
            clusters=self.clusters,
            portals=self.portals,
            cluster_portals=[np.array(numbers, "<i4") for numbers in links],
            instances=self.instances,
        )

    def _link_parents(self) -> None:
        places = {node.index: place for place, node in enumerate(self._instance_nodes)}
        for node, instance in zip(self._instance_nodes, self.instances, strict=True):
            parent = node.parent
            instance.parent = -1 if parent is None else places.get(parent.index, -1)

    def _link_instances(self) -> None:
        """Find the clusters that each instance touches with a vertex."""
        if not self.clusters:
            return
        for node, instance in zip(self._instance_nodes, self.instances, strict=True):
            if not self.view.flags(node).integer("ACCEL") & _CLUSTERIZE:
                continue
            points = self._points(node)
            touched = [
                number
                for number, cluster in enumerate(self.clusters)
                if shapes_of_rooms.inside(cluster.volume, points).any()
            ]
            instance.clusters = np.array(touched, "<u4")
            if not touched:
                self._tell(node, "it is in no cluster, though its flag asks for one")

    def _points(self, node: Node) -> npt.NDArray[np.float32]:
        """Return the points of a node that decide which clusters it is in."""
        if self.view.is_particles(node):
            box = self._particle_box(node)
            if box is not None:
                return box
            self._tell(node, "the box of its particles is not known: that of its symbol is used")
        found = self._mesh(node)
        if found is not None:
            return found[0]
        if not self.view.is_dummy(node):
            self._tell(node, "it has no mesh: its clusters are those of its position")
        return self.view.world(node)[3:4, :3].astype(np.float32)

    def _particle_box(self, node: Node) -> npt.NDArray[np.float32] | None:
        """Return the corners of the box around a particle system, as it stands in the world."""
        shape = self.exporter.export(node).shape
        if not isinstance(shape, CParticleSystemShape) or not shape.use_precomputed_bbox:
            return None
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        corners = np.array(shape.bbox.center) + signs * np.array(shape.bbox.half_size)
        world = self.view.world(node)
        with np.errstate(all="ignore"):
            moved = corners @ world[:3, :3] + world[3, :3]
            low, high = moved.min(axis=0), moved.max(axis=0)
            out: npt.NDArray[np.float32] = np.where(signs < 0.0, low, high).astype(np.float32)
        return out

    def _link_portals(self) -> list[list[int]]:
        links: list[list[int]] = [[] for _ in self.clusters]
        nodes = [node for node in self.used if self._is(node, _PORTAL)]
        for number, (portal, node) in enumerate(zip(self.portals, nodes, strict=True)):
            count = 0
            for cluster, numbers in zip(self.clusters, links, strict=True):
                if shapes_of_rooms.inside(cluster.volume, portal.poly).all():
                    numbers.append(number)
                    count += 1
            if count != 2:
                self._tell(node, f"the portal is in {count} clusters in place of 2")
        return links

    def _is(self, node: Node, sort: int) -> bool:
        return self.view.kind(node) != LIGHT and self.view.accelerator(node) == sort


def _named(text: str) -> str:
    return "" if text in _NOTHING else text


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


register(
    Process(
        "ig",
        "instances, clusters, portals and point lights",
        export,
        Stage(
            "ig",
            (
                ("IgLandSourceDirectories", "IgStaticLandExportDirectory"),
                ("IgOtherSourceDirectories", "IgStaticOtherExportDirectory"),
            ),
            "IgStaticTagExportDirectory",
        ),
    )
)
