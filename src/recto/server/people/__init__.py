"""People: who they are, what they may do, organizations, members, teams, invites, sign-on and tokens."""
