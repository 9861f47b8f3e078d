"""Hot and cold data: HGST/WD, Flash Performance Best Practices, 17 April 2018."""
