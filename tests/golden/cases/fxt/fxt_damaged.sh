# FXT that is cut, compressed or not, keeps its whole records; that of big-endian machines is refused.
tracebridge convert -q "$DATA/phases/be_pairs.json" -o trace.fxt || exit
head -c 470 trace.fxt >cut.fxt
tracebridge convert -q cut.fxt -o cut.json; echo "exit $?"
grep -c '"ph"' cut.json
gzip -c trace.fxt | head -c 300 >cut.fxt.gz
tracebridge convert cut.fxt.gz -o cut.json 2>cut.txt; echo "exit $?"
grep -o "the compressed input ends too early" cut.txt
printf '\0\026Tx\106\04\0\020' | tracebridge convert -q - --to json -o big.json; echo "exit $?"
