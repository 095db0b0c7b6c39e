"""`kvdeck bench tokens`: what exact tokens cost the requests that need them, and the others."""
