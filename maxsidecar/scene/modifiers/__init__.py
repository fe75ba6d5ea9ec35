"""Modifiers: their views, and what they make of the geometry below them.

A module for each class, or each family; importing this package registers them all.
"""
