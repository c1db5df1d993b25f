"""Profiles: observations as data for other runs, hosts and versions of the source (docs/profile.md).

Standard library only, since the observed programs import this.
"""

from pdt_annotate.profiles.match import match
from pdt_annotate.profiles.profile import Profile, merge
from pdt_annotate.profiles.reading import load
from pdt_annotate.profiles.record import record
from pdt_annotate.profiles.writing import check_replaceable, save, save_or_keep

__all__ = ["Profile", "check_replaceable", "load", "match", "merge", "record", "save", "save_or_keep"]
