"""What the index of KV events costs: updates a second, a look-up, bytes a block."""
