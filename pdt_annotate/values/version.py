"""The version of the package, and its home page."""

__version__ = "0.1.0"
HOMEPAGE = "https://github.com/pdt-annotate/pdt-annotate"  # the project's page, without a trailing slash
