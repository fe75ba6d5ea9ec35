"""Time to export animation: ``python bench/bench_gltf_animation.py [--bones N] [--frames N]``.

Makes chains of bones that have to be sampled at every frame, and prints how long the animation of
glTF takes, with keys found, decoded and compiled anew:

- "angles" have keyed Euler XYZ controllers,
- "TCB" have TCB rotations,
- "matrices" do not take their parent's scale, so that whole matrices are sampled.

Nothing here fails for being slow: figures depend on the machine, and the processor's time tells
more than the clock's where others work on it as well.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from maxsidecar.gltf.export.animation import add_animation
from maxsidecar.gltf.export.context import Options
from maxsidecar.scene.controllers import layouts
from maxsidecar.scene.scene import Scene
from tests.support import scenes
from tests.support.gltf_motion import export_of
from tests.support.scenes import SceneMaker, f32, key_bytes, u32

TICKS_PER_FRAME = 160
#: Frames between keys.
SPACING = 10
REPEATS = 5
CUSTOM = 0x1680


def angles(maker: SceneMaker, times: np.ndarray, rng: np.random.Generator) -> int:
    """Add an Euler XYZ with a keyed Bezier Float for each axis."""
    third = {"flags": CUSTOM, "in_length": 1 / 3, "out_length": 1 / 3}
    parts = []
    for _ in range(3):
        values = rng.normal(size=len(times)) * 0.3
        rows = [{"time": t, "value": v, **third} for t, v in zip(times, values, strict=True)]
        table = (0x2525, key_bytes(layouts.BEZIER_FLOAT, *rows))
        parts.append(maker.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(0), table))
    return maker.add(scenes.EULER_XYZ, [(0x1003, u32(0))], parts)


def tcb(maker: SceneMaker, times: np.ndarray, rng: np.random.Generator) -> int:
    """Add a keyed TCB rotation."""
    turns = rng.normal(size=(len(times), 4)) * 0.3 + [0, 0, 0, 1]
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    rows = [
        {"time": t, "value": q, "in_control": q, "out_control": q}
        for t, q in zip(times, turns, strict=True)
    ]
    table = (0x2522, key_bytes(layouts.TCB_ROTATION, *rows))
    return maker.keyed(scenes.TCB_ROTATION, 0x2504, f32(0, 0, 0, 1), table)


def chain(kind: str, bones: int, frames: int) -> Scene:
    """Return a scene with a chain of bones."""
    maker, rng = SceneMaker(), np.random.default_rng(1)
    times = np.arange(0, frames + 1, SPACING) * TICKS_PER_FRAME
    parent = None
    for number in range(bones):
        turn = (tcb if kind == "TCB" else angles)(maker, times, rng)
        flags = u32(0x1C0 if kind == "matrices" else 0)
        transform = maker.add(scenes.PRS, [(0x7230, flags)], [None, turn, None])
        parent = maker.node(f"bone{number}", transform, parent)
    return maker.scene()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bones", type=int, default=100)
    parser.add_argument("--frames", type=int, default=1000)
    options = parser.parse_args()
    for kind in ("angles", "TCB", "matrices"):
        took = []
        for _ in range(REPEATS):
            scene = chain(kind, options.bones, options.frames)
            export = export_of(scene, Options(range=(0, options.frames)))
            start = time.perf_counter(), time.process_time()
            add_animation(export)
            took.append((time.perf_counter() - start[0], time.process_time() - start[1]))
        wall, cpu = (min(column) * 1e3 for column in zip(*took, strict=True))
        print(
            f"{kind}: {options.bones} bones, {options.frames} frames: {wall:.0f} ms,"
            f" processor {cpu:.0f} ms   (target: under 500 ms)"
        )


if __name__ == "__main__":
    main()
