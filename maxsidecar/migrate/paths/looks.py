"""Whether a text reads as a path, for places that may hold any text."""

from __future__ import annotations

import re
from typing import Final

from maxsidecar.migrate.rules.windows import LONGEST, extension_of

__all__ = ["EXTENSIONS", "is_absolute", "is_outside", "kind_of", "reads_as_path"]

_PICTURES: Final = """
    ai avi avif bmp cin cws dds dng dpx exr gif hdr hdri heic ico ifl iff jfif jng jp2 jpe jpeg jpg
    ktx ktx2 map mov mp4 mpeg mpg ogv pbm pcx pdn pfm pgm pic pict png ppm psb psd ptx ras rgb rgba
    rla rpf sgi svg tga tif tiff tx udim vda vrimg vrst vtf webm webp wmv xcf yuv
"""
_SCENES: Final = "chr gmax max maxc"
_LIGHTS: Final = "cibse ies ltli"
_SOUNDS: Final = "aif aiff flac mid mp3 ogg wav wma"
_OTHERS: Final = """
    3ds 3mf abc anim animation animset asc ase ass babylon bank bgeo bin bip blend bsp bvh cache
    cam cat cfg cgfx cmb cr2 csb csv cube dae dat dff dot dwg dxf e57 fbx fga fig fx fxh geo glb
    glsl gltf gz hlsl hmf htm html icc icm ies ig iges igs ini ipt json ligozone lin log lut lxo ma
    mat mb mc mcg mcr mdd mdl mesh mib mlt ms mse mtl mtlx mzp nif nurb obj ocio osl oso pc2 pdf
    pmd pmx prj proxy prt ps pts py pz2 rcp rcs rig rps rvt rws sat shape shp skel skeleton skp skt
    sldprt smd spz sqlite ssv step stl stp svx swf txt u3d usd usda usdc usdz vdb vmt vrl vrmap
    vrmat vrmesh vrscene vta wire wrl x3d xaf xmf xml xmm xsf xsi xyz yaml yml zip zone
"""

_KINDS: Final[dict[str, str]] = {
    f".{name}": kind
    for kind, names in (
        ("file", _OTHERS),
        ("bitmap", _PICTURES),
        ("xref", _SCENES),
        ("photometric", _LIGHTS),
        ("sound", _SOUNDS),
    )
    for name in names.split()
}
#: Extensions that make a name a file name, in lower case with the dot.
EXTENSIONS: Final = frozenset(_KINDS)

# No "*", "?", quote or bar: those are patterns and command lines.  Angle brackets occur in the
# names of renders that are filled in later.
_NOT_IN_PATHS: Final = re.compile(r'[\x00-\x1f\x7f*?"|]')
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_SERVER: Final = re.compile(r"[\\/]{2}[^\\/\s.<>;:,]{1,255}[\\/]")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|mailto:")


def is_absolute(text: str) -> bool:
    """Return whether a text begins with a drive or a server, and can be a path as a whole."""
    if len(text) > LONGEST or _NOT_IN_PATHS.search(text):
        return False
    return _DRIVE.match(text) is not None or _SERVER.match(text) is not None


def reads_as_path(text: str) -> bool:
    """Return whether a text is an absolute path, or ends in a known extension and has a name."""
    if len(text) < 3 or len(text) > LONGEST:
        return False
    if is_absolute(text):
        return True
    extension = extension_of(text)
    return (
        extension.lower() in EXTENSIONS
        and text == text.strip()
        and not _NOT_IN_PATHS.search(text)
        and _URL.match(text) is None
    )


def is_outside(text: str) -> bool:
    """Return whether a path names a server, which nothing here must ask for anything."""
    return text[:2] in ("\\\\", "//", "\\/", "/\\")


def kind_of(path: str, default: str = "file") -> str:
    """Return the kind of file that a path names, by its extension."""
    kind = _KINDS.get(extension_of(path).lower(), "file")
    return kind if kind != "file" else default
