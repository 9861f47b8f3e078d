"""The data types that all other layers share: specifications, records, errors."""
