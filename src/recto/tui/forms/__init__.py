"""Forms: fields made from a body of the contract, in a dialog or on a tab."""
