"""A comparison as people and other tools read it: one module for each format."""
