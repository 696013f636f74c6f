# A signal wipes the progress line from the terminal, and ends the program too where the terminal was stopped (Ctrl-S)
# and takes nothing.
# shellcheck source=tests/golden/end_by_signal.sh
source "$GOLDEN/end_by_signal.sh"
mkfifo keys
start() { # on a terminal of its own, until it shows its progress; what is written to 5 is typed there
  rm -f shown pid
  SHELL=/bin/bash script \
    -qefc 'echo $$ >pid; exec tracebridge convert <(echo "["; yes "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1},") -o out.pftrace --memory 1M' \
    /dev/null <keys >shown 2>&1 5>&- &
  terminal=$!
  exec 5>keys
  until [[ -s pid ]] && grep -aq 'MB/s' shown 2>/dev/null; do
    if ! kill -0 "$terminal"; then
      cat shown
      exit 1
    fi
    sleep 0.01
  done
}
finish() { # SIGNAL
  end_by_signal "$1" "$(<pid)" || echo "still there"
  exec 5>&-
  wait "$terminal"
  echo "exit status $?"
}
is_stuck() { # a thread sleeps in a call with descriptor 2: the terminal takes nothing any more
  local call fd
  for call in "/proc/$(<pid)/task/"*/syscall; do
    read -r _ fd _ <"$call" # by this shell, which as an ancestor may
    [[ $fd == 0x2 ]] && return
  done
  return 1
}

start
finish TERM
tail -c 4 shown | od -An -c
start
printf '\023' >&5
until is_stuck; do sleep 0.01; done
finish TERM
ls
