"""The scene model: typed views over chunk trees."""
