"""Comparison and three-way merge of texts and page trees, and the rules of a merge."""
