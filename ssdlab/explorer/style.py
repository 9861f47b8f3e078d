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
.ssdlab-still { display: none }
.ssdlab-runs { max-height: 236px; overflow: auto; border: 1px solid #d5dce4 }
.ssdlab-runs table { border-collapse: collapse; font-size: 12px; width: 100% }
.ssdlab-runs th { position: sticky; top: 0; background: #eef2f6; color: #1b2733;
  cursor: pointer; text-align: left; padding: 3px 8px; font-weight: 600 }
.ssdlab-runs td { padding: 2px 8px; text-align: left; white-space: nowrap;
  max-width: 14em; overflow: hidden; text-overflow: ellipsis;
  border-top: 1px solid #e3e8ee }
.ssdlab-runs td.number { text-align: right }
.ssdlab-runs tr[tabindex] { cursor: pointer }
.ssdlab-runs tr[aria-selected="true"] td { background: #cfe3f4; color: #0b2440 }
</style>"""
