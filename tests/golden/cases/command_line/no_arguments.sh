# The program alone says how it is used.
# exit 2
tracebridge
