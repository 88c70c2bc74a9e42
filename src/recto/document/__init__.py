"""What a page says: parsing, outline, links, comparison and merging. Pure text work, no I/O."""
