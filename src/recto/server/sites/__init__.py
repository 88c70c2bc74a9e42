"""Sites: their structure, settings, readers, share links, redirects and publication."""
