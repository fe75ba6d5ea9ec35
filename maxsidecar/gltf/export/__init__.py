"""From a scene to the glTF model: nodes, meshes, skins, animation, materials."""
