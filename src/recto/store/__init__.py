"""The state of the program: responses, changes in progress, typed texts and the person's location."""
