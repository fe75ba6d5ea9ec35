"""The streams beside ``Scene``, as properties of an opened file.

Each is ``None`` when the file has no such stream; a damaged one raises when it is asked for, or
when the part of it is read that is damaged.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from maxsidecar.errors import MaxSidecarError

if TYPE_CHECKING:
    from maxsidecar.scene.asset_metadata import AssetMetadata
    from maxsidecar.scene.class_data import ClassData
    from maxsidecar.scene.config import Config
    from maxsidecar.scene.custom_attributes import CustomAttributeDefinitions
    from maxsidecar.scene.directories import ClassDirectory, DllDirectory
    from maxsidecar.scene.property_set import PropertySet
    from maxsidecar.scene.release import ProgramVersion
    from maxsidecar.scene.save_config import SaveConfig
    from maxsidecar.scene.stream import Stream
    from maxsidecar.scene.stream_views import StreamView
    from maxsidecar.scene.summary import DocumentSummary, Summary
    from maxsidecar.scene.thumbnail import Thumbnail
    from maxsidecar.scene.video_post import VideoPostQueue

__all__ = ["FileStreams"]


class FileStreams:
    """The streams beside ``Scene``.

    Attributes:
        streams: Streams by logical name, in directory order.
    """

    streams: dict[str, Stream]

    def _view(self, *names: str) -> StreamView | None:
        for name in names:
            if name in self.streams:
                return self.streams[name].view
        return None

    @property
    def dll_directory(self) -> DllDirectory | None:
        """The plug-in files."""
        return cast("DllDirectory | None", self._view("DllDirectory"))

    @property
    def class_directory(self) -> ClassDirectory | None:
        """The classes of scene objects."""
        return cast("ClassDirectory | None", self._view("ClassDirectory3", "ClassDirectory"))

    @property
    def config(self) -> Config | None:
        """Settings of the program: time, viewports, windows, scripts."""
        view = cast("Config | None", self._view("Config"))
        if view is not None:
            view.encoding = self.code_page
        return view

    @property
    def class_data(self) -> ClassData | None:
        """What plug-in classes keep once per scene."""
        return cast("ClassData | None", self._view("ClassData"))

    @property
    def video_post_queue(self) -> VideoPostQueue | None:
        """The Video Post queue."""
        return cast("VideoPostQueue | None", self._view("VideoPostQueue"))

    @property
    def save_config(self) -> SaveConfig | None:
        """How the scene was saved; from release 2012 on."""
        return cast("SaveConfig | None", self._view("SaveConfigData"))

    @property
    def custom_attribute_definitions(self) -> CustomAttributeDefinitions | None:
        """Source text of custom attributes."""
        view = cast("CustomAttributeDefinitions | None", self._view("ScriptedCustAttribDefs"))
        if view is not None:
            view.encoding = self.code_page
        return view

    @property
    def asset_metadata(self) -> AssetMetadata | None:
        """The files that the scene refers to."""
        from maxsidecar.scene.asset_metadata import ASSET_STREAMS, AssetMetadata

        for name in sorted(ASSET_STREAMS, reverse=True):
            if name in self.streams:
                return AssetMetadata(self.streams[name])
        return None

    def _properties(self, name: str) -> PropertySet | None:
        from maxsidecar.scene.property_set import read_property_set

        stream = self.streams.get(name)
        return read_property_set(stream.data, stream.where) if stream is not None else None

    @property
    def summary(self) -> Summary | None:
        """Title, author, times and thumbnail.

        Raises:
            DecodeError: The stream is damaged.
        """
        from maxsidecar.scene.property_set import SUMMARY
        from maxsidecar.scene.summary import Summary

        properties = self._properties(SUMMARY)
        return Summary(properties) if properties is not None else None

    @property
    def document_summary(self) -> DocumentSummary | None:
        """Version text, totals, lists of parts and user properties.

        Raises:
            DecodeError: The stream is damaged.
        """
        from maxsidecar.scene.property_set import DOCUMENT_SUMMARY
        from maxsidecar.scene.summary import DocumentSummary

        properties = self._properties(DOCUMENT_SUMMARY)
        return DocumentSummary(properties) if properties is not None else None

    @property
    def thumbnail(self) -> Thumbnail | None:
        """The picture that file dialogs show.

        Raises:
            DecodeError: It is damaged.
        """
        summary = self.summary
        return summary.thumbnail if summary is not None else None

    @cached_property
    def code_page(self) -> str:
        """Python codec of 8-bit text in the file.

        It is what SaveConfigData says, else what the document properties say, else cp1252; newer
        files say UTF-8, and older ones the code page of the author's Windows (measured).  Damaged
        streams count as absent here.
        """
        from maxsidecar.scene.code_pages import DEFAULT_ENCODING, narrow_encoding_of

        try:
            save_config = self.save_config
            code_page: int | None = save_config.code_page if save_config is not None else None
            if code_page is not None:
                return narrow_encoding_of(code_page)
            document = self.document_summary
            code_page = document.code_page if document is not None else None
        except MaxSidecarError:
            return DEFAULT_ENCODING
        encoding = narrow_encoding_of(code_page)
        return DEFAULT_ENCODING if encoding == "utf-8" else encoding

    @property
    def program_release(self) -> int | None:
        """Release times 1000 of the program that wrote the file, such as 21000 for 2019.

        The number is not localised and in every file from release 4 on; before that, the version
        text is the only source.  The format it was saved as may be another release.
        """
        directory = self.dll_directory
        save_config = self.save_config
        versions: list[ProgramVersion | None] = [
            directory.program if directory is not None else None,
            save_config.program if save_config is not None else None,
        ]
        for version in versions:
            if version is not None:
                return version.release
        document = self.document_summary
        return document.release if document is not None else None

    @property
    def program_name(self) -> str | None:
        """Name of the release that wrote the file, such as ``"2019"``."""
        from maxsidecar.scene.release import product_name

        release = self.program_release
        return product_name(release) if release is not None else None
