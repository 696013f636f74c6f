# The man pages: of the program, and of a command.
tracebridge help --man
tracebridge help --man info
