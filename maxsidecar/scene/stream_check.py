"""Checking that what is understood of a stream would be written the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.asset_metadata import ASSET_STREAMS, AssetTableCodec
from maxsidecar.scene.property_set import PROPERTY_STREAMS, read_property_set
from maxsidecar.scene.property_values import verified_size

if TYPE_CHECKING:
    from maxsidecar.scene.stream import Stream

__all__ = ["check_stream"]

Report = Callable[[MaxSidecarError], None]


def check_stream(stream: Stream, report: Report) -> tuple[int, int]:
    """Verify everything typed in a stream other than ``Scene``.

    Chunk streams count the leaves of their views; asset tables count records; property sets count
    properties, without the pad bytes, which may hold anything.

    Args:
        stream: The stream.
        report: Called with every problem, its place filled in.

    Returns:
        Number of leaves and number of bytes that decode and encode to the same bytes.
    """
    try:
        if stream.name in ASSET_STREAMS:
            return _check_assets(stream)
        if stream.name in PROPERTY_STREAMS:
            return _check_properties(stream, report)
        view = stream.view
    except MaxSidecarError as error:
        report(error.locate(file=stream.file, stream=stream.name))
        return 0, 0
    if view is None:
        return 0, 0
    return check_leaves(view.typed_leaves(), report)


def _check_assets(stream: Stream) -> tuple[int, int]:
    data = stream.content
    return len(AssetTableCodec(ASSET_STREAMS[stream.name]).verified(data)), len(data)


def _check_properties(stream: Stream, report: Report) -> tuple[int, int]:
    count = size = 0
    for section in read_property_set(stream.data, stream.where).sections:
        for found in section.properties.values():
            problem = found.problem
            if problem is None:
                try:
                    size += verified_size(found.raw, found.type, found.value)
                except DecodeError as error:
                    error.message = f"property {found.id:x}: {error.message}"
                    problem = error
                else:
                    count += 1
            if problem is not None:
                report(problem.locate(file=stream.file, stream=stream.name))
    return count, size
