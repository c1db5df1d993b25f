"""Sources that replace files at import, without touching them. Standard library only.

serving       in the children of a run: sources in memory; the later finders of `sys.meta_path` find the module, and its
              loader is replaced
kept_overlay  in the user's own program: the copies that `emit/files/overlay_dir.py` wrote into a directory
manifest      which files such a directory replaces
"""
