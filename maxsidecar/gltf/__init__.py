"""glTF 2.0: the file model and its writer, and the export of scenes."""
