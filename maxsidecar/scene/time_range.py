"""The active time range of a scene.

(Measured: Config 20b0 holds it; frame rate and start agree with the .pod and glTF twins.
docs/format/streams.md section 5.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.config import TICKS_PER_SECOND

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from maxsidecar.scene.maxfile import MaxFile

__all__ = ["DEFAULT", "TimeRange", "read_time_range"]


@dataclass(frozen=True, slots=True)
class TimeRange:
    """The active time range.

    Attributes:
        start: First tick; may be negative, and need not fall on a frame.
        end: Last tick; at least ``start``.
        frame_rate: Frames per second, positive.
        current: Tick at which the scene was saved.
    """

    start: int
    end: int
    frame_rate: int
    current: int

    @property
    def ticks_per_frame(self) -> float:
        """Ticks of one frame; whole for every frame rate of the corpus."""
        return TICKS_PER_SECOND / self.frame_rate

    @property
    def frame_count(self) -> int:
        """Number of frames that begin in the range."""
        return (self.end - self.start) * self.frame_rate // TICKS_PER_SECOND + 1

    def frame_times(self) -> npt.NDArray[np.float64]:
        """Return the ticks of the frames from start to end, shape (frame_count,)."""
        import numpy as np

        frames = np.arange(self.frame_count, dtype=np.float64)
        return np.asarray(self.start + frames * self.ticks_per_frame, np.float64)


#: 100 frames at 30 per second: what a new scene has.
DEFAULT: Final = TimeRange(0, 16_000, 30, 0)


def read_time_range(scene_file: MaxFile) -> TimeRange:
    """Return the active time range; :data:`DEFAULT` for what is missing or impossible."""
    try:
        config = scene_file.config
        time = config.time if config is not None else None
        if time is None:
            return DEFAULT
        values = time.start, time.end, time.frame_rate, time.current
    except MaxSidecarError:
        return DEFAULT
    start = DEFAULT.start if values[0] is None else values[0]
    end = DEFAULT.end if values[1] is None else values[1]
    rate = values[2] if values[2] is not None and values[2] > 0 else DEFAULT.frame_rate
    return TimeRange(start, max(start, end), rate, start if values[3] is None else values[3])
