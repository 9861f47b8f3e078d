"""The words every other layer speaks: specifications, records, schema, units, errors."""
