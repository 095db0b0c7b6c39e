"""Parts of the Overview and of the report of the same: values first, drawn by whoever shows them."""
