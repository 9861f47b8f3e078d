"""How Sphinx renders the documentation; `tools/build_site.py` calls it."""

from ssdlab.model.version import VERSION

project = "ssdlab"
author = "the ssdlab contributors"
version = release = VERSION
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
myst_heading_anchors = 4
default_role = "code"  # docstrings name things in single backquotes
numpydoc_show_class_members = False
autodoc_typehints = "none"  # numpydoc lists the types
autodoc_member_order = "bysource"
html_theme = "furo"
html_title = f"ssdlab {VERSION}"
html_static_path = ["_static"]  # below the source
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
smartquotes = False  # two hyphens are an option, not a dash
