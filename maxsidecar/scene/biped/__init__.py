"""Biped rigs of character studio: what their system objects store, and the poses it means."""
