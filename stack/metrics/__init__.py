"""Every metric family of the product, declared once; queries over them; their documentation. Pure."""
