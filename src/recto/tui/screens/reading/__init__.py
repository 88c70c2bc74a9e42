"""Reading pages, in whatever view they stand."""
