"""The words all other layers speak: specifications, records, schema, errors."""
