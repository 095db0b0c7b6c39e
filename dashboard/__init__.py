"""The Streamlit dashboard: see the tiers and the routing, and steer."""
