# The man page.
tracebridge help --man
