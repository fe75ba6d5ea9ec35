"""What a scene looks like: a page for a browser, a picture, files of its meshes.

:mod:`~maxsidecar.preview.collect` gathers what is shown, the other modules write it.
"""
