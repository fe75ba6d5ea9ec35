"""The game's classes, one module per family; docs/nel.md tells how to add one."""
