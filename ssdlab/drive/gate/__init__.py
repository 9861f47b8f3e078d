"""The requirements of the gate on drive and consent; `safety` is its entry."""
