"""Peak rates as data sheets state them."""
