"""Parts of the documentation site that follow from the code."""
