"""Work on many files: which ones are meant, and processes that keep them apart."""
