# How Sphinx makes the site of the documents; see build.

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

project = "idgen"
author = copyright = "idgen contributors"
root_doc = "index"
extensions = ["myst_parser"]

# Headings have the anchors that hosts of repositories give them.
myst_heading_anchors = 4
# A page of a repository may begin with a smaller heading, and show code that
# the highlighter does not understand, or in a language that it does not know.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
lexers["prisma"] = TextLexer()
smartquotes = False
highlight_language = "none"

html_theme = "furo"
html_title = "idgen"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
# Fonts and scripts come with the site: nothing is loaded from elsewhere.
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#205081", "color-brand-content": "#205081"},
    "dark_css_variables": {"color-brand-primary": "#8ab4d8", "color-brand-content": "#8ab4d8"},
}
