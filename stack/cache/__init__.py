"""Block hashing, the block index, the prefix index. Pure."""
