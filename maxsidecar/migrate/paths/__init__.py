"""Every place of a scene that holds a path, and renaming what stands there."""
