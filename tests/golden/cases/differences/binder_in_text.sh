# Binder's transactions in ftrace text are what they are in its conversion, where another processor's bundle may come
# first: a transaction, its reply, one without a reply. An older kernel says nothing of extra buffers.
sent() {
  echo "$1: binder_transaction: transaction=$2 dest_node=5 dest_proc=$3 dest_thread=$4 reply=$5 flags=0x$6 code=0x1"
}
app='  app-10 (10) [001] ...1' srv='  srv-21 (20) [000] ...1'
{
  echo '# tracer: nop'
  sent "$app 1.000000" 7 20 0 0 10
  echo "$app 1.000001: binder_transaction_alloc_buf: transaction=7 data_size=101 offsets_size=12"
  echo "$srv 1.000100: binder_transaction_received: transaction=7"
  sent "$srv 1.000200" 8 10 10 1 0
  echo "$app 1.000300: binder_transaction_received: transaction=8"
  sent "$app 1.000400" 9 20 0 0 11
  echo "$srv 1.000500: binder_transaction_received: transaction=9"
} >in.ftrace
tracebridge convert -q in.ftrace -o out.pftrace
tracebridge diff in.ftrace out.pftrace | grep -v '^not compared'
tracebridge dump out.pftrace | grep -A 4 'alloc_buf {'
