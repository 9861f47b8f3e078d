"""The grammar of figures: lines, columns, heat maps, axes, looks."""
