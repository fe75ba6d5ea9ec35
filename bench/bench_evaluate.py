"""Time to evaluate rigs: ``python bench/bench_evaluate.py [--bones N] [--frames N] [SCENE ...]``.

Makes a tree of bones, each with keyed Position XYZ and Euler XYZ controllers, and prints how long
the world matrices of all bones take for all frames; then the same for all nodes of real scenes.

- "process" is the first time in this process: modules are imported as well.
- "cold" is the first time after a scene was opened: keys are found, decoded and compiled.
- "again" is with the keys compiled.

Nothing here fails for being slow: figures depend on the machine, and the processor's time tells
more than the clock's where others work on it as well.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import maxsidecar
from maxsidecar.scene.controllers.layouts import BEZIER_FLOAT as FLOAT_KEYS
from maxsidecar.scene.scene import Scene
from tests.support import scenes
from tests.support.scenes import SceneMaker, f32, u32

TICKS_PER_FRAME = 160
CUSTOM = 0x1680
REPEATS = 12
TARGETS = dict.fromkeys(("cold", "again"), "   (target: under 100 ms)")


def curve(maker: SceneMaker, times: np.ndarray, rng: np.random.Generator, size: float) -> int:
    """Add a Bezier Float with smooth-looking keys."""
    keys = np.zeros(len(times), FLOAT_KEYS.dtype())
    keys["time"] = times
    keys["flags"] = CUSTOM
    keys["value"] = rng.normal(0.0, size, len(times))
    slopes = np.gradient(keys["value"], times)
    keys["in_tangent"], keys["out_tangent"] = -slopes, slopes
    keys["in_length"] = keys["out_length"] = 0.3333
    table = (0x2525, keys.tobytes())
    return maker.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(0.0), table, nested=True)


def make_rig(bones: int, frames: int, keys: int) -> Scene:
    """Return a scene of bones, each below the one at half its number."""
    rng = np.random.default_rng(1)
    times = np.linspace(0, (frames - 1) * TICKS_PER_FRAME, keys).astype(np.int32)
    maker = SceneMaker()
    nodes: list[int] = []
    for number in range(bones):
        position = [curve(maker, times, rng, 10.0) for _ in range(3)]
        angles = [curve(maker, times, rng, 1.0) for _ in range(3)]
        parts = [
            maker.add(scenes.POSITION_XYZ, (), position),
            maker.add(scenes.EULER_XYZ, [(0x1003, u32(0))], angles),
            maker.keyed(scenes.BEZIER_SCALE, 0x2505, f32(1, 1, 1, 0, 0, 0, 1)),
        ]
        transform = maker.add(scenes.PRS, [(0x7230, u32(0))], parts)
        parent = nodes[number // 2] if nodes else None
        nodes.append(maker.node(f"bone{number:03}", transform, parent))
    return maker.scene()


def timed(scene: Scene, times: np.ndarray) -> tuple[float, float]:
    """Return the milliseconds of the clock and of the processor."""
    from maxsidecar.scene.transform import world_matrices

    start, busy = time.perf_counter(), time.process_time()
    matrices = world_matrices(scene, times)
    spans = 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - busy)
    assert all(m.shape == (len(times), 4, 4) for m in matrices.values())
    return spans


def report(opened: Callable[[], Scene], times: np.ndarray, targets: dict[str, str]) -> None:
    """Print the figures of one scene, best of some openings."""
    found: dict[str, list[tuple[float, float]]] = {}
    if "maxsidecar.scene.transform" not in sys.modules:
        found["process"] = [timed(opened(), times)]
    for _ in range(REPEATS):
        scene = opened()
        found.setdefault("cold", []).append(timed(scene, times))
        found.setdefault("again", []).append(timed(scene, times))
    for name, spans in found.items():
        clock, busy = map(min, zip(*spans, strict=True))
        print(f"{name:<8}{clock:8.1f} ms, processor {busy:8.1f} ms{targets.get(name, '')}")


def reopened(path: Path) -> Scene:
    return maxsidecar.open(path).scene


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bones", type=int, default=100)
    parser.add_argument("--frames", type=int, default=1000)
    parser.add_argument("--keys", type=int, default=40, help="keys per curve")
    parser.add_argument("scenes", nargs="*", type=Path, help="real scenes to evaluate as well")
    options = parser.parse_args()
    rig = make_rig(options.bones, options.frames, options.keys)
    data, classes = rig.encode(), rig.classes
    times = np.arange(options.frames) * TICKS_PER_FRAME
    print(f"{options.bones} bones, {options.frames} frames, {options.keys} keys per curve")
    report(lambda: Scene(data, classes, []), times, TARGETS)
    for path in options.scenes:
        with maxsidecar.open(path) as file:
            print(f"{path.name}: {len(file.nodes)} nodes, {options.frames} frames")
        report(partial(reopened, path), times, {})


if __name__ == "__main__":
    main()
