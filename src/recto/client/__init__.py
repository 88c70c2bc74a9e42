"""Asks: sends an operation to a platform and brings the response back."""
