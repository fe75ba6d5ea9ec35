"""Scripted changes of many scenes: small declared migrations, and the engine that runs them."""
