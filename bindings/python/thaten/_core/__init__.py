"""What the package itself offers, by topic: tensors and devices, their text, files, settings, functions of several operations."""
