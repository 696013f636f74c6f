#!/bin/bash
# show FORMAT INPUT: a trace as FORMAT has it, one event, record or packet a line. For the examples of docs/MAPPING.md.
#
# INPUT is a file, events of JSON (EVENT,EVENT...) or packets in text. FORMAT is json, fxt, perfetto (packets that have
# a time, by time) or untimed (those without). Where INPUT is events, the way back to JSON has to give the same ones.
set -eo pipefail
format=$1 input=$2
case $input in
  '{'*) input=in.json && echo "[$2]" >$input ;;
  packet*) input=in.pftrace && echo "$2" | tracebridge convert -q --from text -o $input ;;
esac
tracebridge convert -q "$input" --to "${format/untimed/perfetto}" -o out

if [ "$input" = in.json ]; then
  tracebridge convert -q out --to json | tracebridge diff "$input" - >differences || { cat differences && exit 1; }
fi

# Without the fields of a packet's sequence; ids of interned data and tracks as what they mean.
packets() {
  tracebridge dump --resolve out | sed -E 's/_(iids?|uuid): [0-9]+ +# "/: "/; s/TYPE_//' | awk -v untimed="$1" '
    /^# at/ { time = $8; packet = ""; next }
    /^packet|^  (timestamp|trusted_packet_sequence_id|sequence_flags):/ { next }
    !/^}/ { $1 = $1; packet = packet (packet ? " " : "") $0; next }
    packet ~ /^clock_snapshot/ || (packet ~ /^interned_data/ && packet !~ /ftrace_events/) { next }
    untimed ? time == "" : time != "" { print time (time ? " " : "") packet }' | sort -sn
}

case $format in
  json) grep '^[{"].*[^[{]$' out | sed 's/,$//' ;;
  fxt) tracebridge dump out | sed -E 's/^[0-9]+ //; /^(magic|provider|init|string|thread|section)( |$)/d
    s/#[0-9]+\(("[^"]*"|[^)]*)\)/\1/g' ;;
  untimed) packets yes ;;
  *) packets "" ;;
esac
