"""A document to the JSON of a glTF file: numbers for records, each of them once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from maxsidecar.errors import SaveError, shorten
from maxsidecar.gltf import model
from maxsidecar.gltf.encode_materials import material_json, sampler_json
from maxsidecar.gltf.packing import Packer
from maxsidecar.gltf.values import check_json

__all__ = ["Encoder"]

T = TypeVar("T")

_LIGHTS: Final = "KHR_lights_punctual"
_POINTER: Final = "KHR_animation_pointer"
_PATHS: Final = frozenset({"translation", "rotation", "scale", "weights"})


class Encoder:
    """Encodes one document.

    Args:
        document: What to encode.
        embed: Called with a picture that has bytes; returns its place in the file as JSON:
            a ``bufferView`` or a ``uri``.

    Attributes:
        packer: The binary part.
        json: The whole JSON, without ``buffers``.

    Raises:
        SaveError: The document is not sound: a node with two parents, a joint outside the scene,
            numbers that are not finite.
    """

    def __init__(
        self, document: model.Document, embed: Callable[[model.Image, Packer], dict[str, Any]]
    ) -> None:
        """Encode."""
        self.packer = Packer()
        self._embed = embed
        self._extensions: set[str] = set()
        self._numbers: dict[int, int] = {}
        self._samplers: dict[model.Sampler, int] = {}
        self._lists: dict[str, list[dict[str, Any]]] = {}
        self._lights: list[dict[str, Any]] = []
        self._nodes = self._walk(document.roots)
        self.json = self._document(document)

    # --- the tree --------------------------------------------------------------------------------

    def _walk(self, roots: Iterable[model.Node]) -> list[model.Node]:
        """Number every node, parents first."""
        out: list[model.Node] = []
        waiting = list(reversed(list(roots)))
        while waiting:
            node = waiting.pop()
            if id(node) in self._numbers:
                raise SaveError(f"node {shorten(node.name)} is in the tree twice")
            self._numbers[id(node)] = len(out)
            out.append(node)
            waiting += reversed(node.children)
        return out

    def _node_number(self, node: model.Node, what: str) -> int:
        number = self._numbers.get(id(node))
        if number is None:
            raise SaveError(f"{what}: node {shorten(node.name)} is not in the scene")
        return number

    def _once(self, kind: str, item: T, encode: Callable[[T], dict[str, Any]]) -> int:
        """Return the number of a record in its list; it is encoded when first met."""
        number = self._numbers.get(id(item))
        if number is None:
            encoded = encode(item)
            found = self._lights if kind == _LIGHTS else self._lists.setdefault(kind, [])
            number = self._numbers[id(item)] = len(found)
            found.append(encoded)
        return number

    # --- the document ----------------------------------------------------------------------------

    def _document(self, document: model.Document) -> dict[str, Any]:
        for material in document.materials:
            self.material(material)
        nodes = [self._node(node) for node in self._nodes]
        animations = [self._animation(a) for a in document.animations if a.channels]
        asset = {"generator": "maxsidecar", **document.asset, "version": "2.0"}
        check_json(asset, "asset")
        out: dict[str, Any] = {"asset": asset}
        if self._lights:
            self._extensions.add(_LIGHTS)
        if self._extensions:
            out["extensionsUsed"] = sorted(self._extensions)
        scene: dict[str, Any] = {}
        if document.roots:
            scene["nodes"] = [self._numbers[id(node)] for node in document.roots]
        out["scene"] = 0
        out["scenes"] = [_described(document, scene)]
        if nodes:
            out["nodes"] = nodes
        for kind in ("meshes", "skins", "materials", "textures", "images", "samplers", "cameras"):
            if self._lists.get(kind):
                out[kind] = self._lists[kind]
        if animations:
            out["animations"] = animations
        if self._lights:
            out["extensions"] = {_LIGHTS: {"lights": self._lights}}
        if self.packer.accessors:
            out["accessors"] = self.packer.accessors
        if self.packer.views:
            out["bufferViews"] = self.packer.views
        return out

    def _node(self, node: model.Node) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, value, plain in (
            ("translation", node.translation, (0.0, 0.0, 0.0)),
            ("rotation", node.rotation, (0.0, 0.0, 0.0, 1.0)),
            ("scale", node.scale, (1.0, 1.0, 1.0)),
        ):
            if tuple(value) != plain:
                out[key] = [float(number) for number in value]
        check_json(out, f"node {shorten(node.name)}")
        if node.mesh is not None:
            out["mesh"] = self._once("meshes", node.mesh, self._mesh)
            if node.weights:
                out["weights"] = [float(weight) for weight in node.weights]
        if node.skin is not None:
            out["skin"] = self._once("skins", node.skin, self._skin)
        if node.camera is not None:
            out["camera"] = self._once("cameras", node.camera, _camera)
        if node.children:
            out["children"] = [self._numbers[id(child)] for child in node.children]
        if node.light is not None:
            out["extensions"] = {_LIGHTS: {"light": self._once(_LIGHTS, node.light, _light)}}
        return _described(node, out)

    def _mesh(self, mesh: model.Mesh) -> dict[str, Any]:
        if not mesh.primitives:
            raise SaveError(f"mesh {shorten(mesh.name)} has no primitives")
        out: dict[str, Any] = {
            "primitives": [
                self._primitive(p, f"mesh {shorten(mesh.name)}") for p in mesh.primitives
            ]
        }
        if mesh.weights:
            out["weights"] = [float(weight) for weight in mesh.weights]
        _described(mesh, out)
        if mesh.target_names:
            out["extras"] = {**out.get("extras", {}), "targetNames": list(mesh.target_names)}
        return out

    def _primitive(self, primitive: model.Primitive, what: str) -> dict[str, Any]:
        packer = self.packer
        counts = {len(array) for array in primitive.attributes.values()}
        counts |= {len(array) for target in primitive.targets for array in target.values()}
        if len(counts) != 1:
            raise SaveError(f"{what}: attributes are not of one length", found=sorted(counts))
        out: dict[str, Any] = {
            "attributes": {
                name: packer.attribute(name, array) for name, array in primitive.attributes.items()
            }
        }
        if primitive.indices is not None:
            out["indices"] = packer.indices(primitive.indices, *counts)
        if primitive.material is not None:
            out["material"] = self.material(primitive.material)
        if primitive.mode != model.TRIANGLES:
            out["mode"] = primitive.mode
        if primitive.targets:
            out["targets"] = [
                {name: packer.attribute(name, array) for name, array in target.items()}
                for target in primitive.targets
            ]
        return _described(primitive, out)

    def _skin(self, skin: model.Skin) -> dict[str, Any]:
        what = f"skin {shorten(skin.name)}"
        matrices = skin.inverse_bind_matrices
        if not skin.joints or matrices.shape != (len(skin.joints), 4, 4):
            raise SaveError(f"{what}: there is not one matrix for each joint", found=matrices.shape)
        out: dict[str, Any] = {
            "inverseBindMatrices": self.packer.plain(matrices, what),
            "joints": [self._node_number(joint, what) for joint in skin.joints],
        }
        if skin.skeleton is not None:
            out["skeleton"] = self._node_number(skin.skeleton, what)
        return _described(skin, out)

    # --- materials -------------------------------------------------------------------------------

    def material(self, material: model.Material) -> int:
        """Return the number of a material."""
        return self._once(
            "materials",
            material,
            lambda m: _described(m, material_json(m, self._texture, self._extensions)),
        )

    def _texture(self, texture: model.Texture) -> int:
        return self._once("textures", texture, self._texture_json)

    def _texture_json(self, texture: model.Texture) -> dict[str, Any]:
        out: dict[str, Any] = {"source": self._once("images", texture.image, self._image)}
        samplers = self._lists.setdefault("samplers", [])
        if texture.sampler not in self._samplers:
            self._samplers[texture.sampler] = len(samplers)
            samplers.append(sampler_json(texture.sampler))
        out["sampler"] = self._samplers[texture.sampler]
        return _described(texture, out)

    def _image(self, image: model.Image) -> dict[str, Any]:
        return _described(image, self._embed(image, self.packer))

    # --- animation -------------------------------------------------------------------------------

    def _animation(self, animation: model.Animation) -> dict[str, Any]:
        what = f"animation {shorten(animation.name)}"
        samplers: list[dict[str, Any]] = []
        known: dict[tuple[int, int, str, str], int] = {}
        channels = []
        for channel in animation.channels:
            target = self._target(channel, what)
            # Weights are written as one list of numbers, whatever their count.
            kind = "weights" if channel.path == "weights" else ""
            key = id(channel.times), id(channel.values), channel.interpolation, kind
            if key not in known:
                known[key] = len(samplers)
                samplers.append(self._sampler(channel, f"{what}, {channel.path}"))
            channels.append({"sampler": known[key], "target": target})
        return _described(animation, {"channels": channels, "samplers": samplers})

    def _sampler(self, channel: model.Channel, what: str) -> dict[str, Any]:
        values = channel.values
        rows = len(channel.times) * (3 if channel.interpolation == "CUBICSPLINE" else 1)
        if len(values) != rows:
            raise SaveError(
                f"{what}: values do not fit the times", expected=rows, found=len(values)
            )
        if len(channel.times) > 1 and not bool((channel.times[1:] > channel.times[:-1]).all()):
            raise SaveError(f"{what}: times do not ascend")
        out: dict[str, Any] = {
            "input": self.packer.plain(channel.times, f"{what}: times", bounds=True)
        }
        if channel.interpolation != "LINEAR":
            out["interpolation"] = channel.interpolation
        if channel.path == "weights":
            values = values.reshape(-1)
        out["output"] = self.packer.plain(values, f"{what}: values")
        return out

    def _target(self, channel: model.Channel, what: str) -> dict[str, Any]:
        target, path = channel.target, channel.path
        if isinstance(target, model.Node):
            number = self._node_number(target, what)
            if path in _PATHS:
                return {"node": number, "path": path}
            place = f"/nodes/{number}"
        else:
            place = self._place(target, what)
        if not path.startswith("/"):
            raise SaveError(f"{what}: nothing of this name can move", found=shorten(path))
        self._extensions.add(_POINTER)
        return {"path": "pointer", "extensions": {_POINTER: {"pointer": place + path}}}

    def _place(self, target: model.Light | model.Camera | model.Material, what: str) -> str:
        number = self._numbers.get(id(target))
        if number is None:
            raise SaveError(f"{what}: {shorten(target.name)} is not in the scene")
        if isinstance(target, model.Light):
            return f"/extensions/{_LIGHTS}/lights/{number}"
        return f"/{'cameras' if isinstance(target, model.Camera) else 'materials'}/{number}"


def _camera(camera: model.Camera) -> dict[str, Any]:
    what = f"camera {shorten(camera.name)}"
    inner: dict[str, Any] = {"znear": float(camera.znear)}
    if camera.yfov is None:
        if camera.zfar is None:
            raise SaveError(f"{what}: a parallel view needs a far plane")
        inner = {"xmag": float(camera.xmag), "ymag": float(camera.ymag), **inner}
    else:
        inner["yfov"] = float(camera.yfov)
        if camera.aspect_ratio is not None:
            inner["aspectRatio"] = float(camera.aspect_ratio)
    if camera.zfar is not None:
        inner["zfar"] = float(camera.zfar)
    check_json(inner, what)
    kind = "orthographic" if camera.yfov is None else "perspective"
    return _described(camera, {"type": kind, kind: inner})


def _light(light: model.Light) -> dict[str, Any]:
    out: dict[str, Any] = {"type": light.kind}
    if tuple(light.color) != (1.0, 1.0, 1.0):
        out["color"] = [float(part) for part in light.color]
    # Though 1 is the default: Blender takes its own where nothing is said.
    out["intensity"] = float(light.intensity)
    if light.range is not None and light.kind != "directional":
        out["range"] = float(light.range)
    if light.kind == "spot":
        out["spot"] = {
            "innerConeAngle": float(light.inner_cone_angle),
            "outerConeAngle": float(light.outer_cone_angle),
        }
    check_json(out, f"light {shorten(light.name)}")
    return _described(light, out)


def _described(item: Any, out: dict[str, Any]) -> dict[str, Any]:
    """Add name and extras of a record."""
    name = getattr(item, "name", "")  # a primitive has none
    if name:
        out["name"] = name
    if item.extras:
        check_json(item.extras, f"extras of {shorten(name)}")
        out["extras"] = item.extras
    return out
