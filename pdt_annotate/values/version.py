"""The version of the package, and its home page, without a trailing slash."""

__version__ = "0.1.0"
HOMEPAGE = "https://github.com/pdt-annotate/pdt-annotate"
