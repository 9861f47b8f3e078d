"""The style sheet of an explorer."""

STYLE = """<style>
.ssdlab-explorer .ssdlab-rounds { border-collapse: collapse; font-size: 12px }
.ssdlab-explorer .ssdlab-rounds td, .ssdlab-explorer .ssdlab-rounds th {
  padding: 1px 10px; text-align: left; border-bottom: 1px solid #e3e8ee }
.ssdlab-explorer .ssdlab-figures { display: flex; flex-wrap: wrap; gap: 6px 14px }
.ssdlab-explorer .ssdlab-figure {
  flex: 1 1 400px; min-width: 0; min-height: 400px; overflow: hidden }
.ssdlab-explorer .ssdlab-saver {
  display: flex; gap: 4px; flex-wrap: wrap; align-items: center; margin: 4px 0 }
.ssdlab-explorer .ssdlab-saver button { width: auto; padding: 0 10px }
.ssdlab-explorer .widget-html-content { line-height: 1.4 }
</style>"""
