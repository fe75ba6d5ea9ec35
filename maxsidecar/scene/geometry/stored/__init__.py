"""Meshes that the file stores: Editable Mesh, Editable Poly, Editable Patch and their like."""
