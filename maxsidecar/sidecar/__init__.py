"""The TOML text form of a scene: extract, apply and diff."""
