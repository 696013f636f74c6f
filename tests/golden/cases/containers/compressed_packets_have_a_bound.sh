# A file of 2.5 MB whose compressed packets unpack to 2.5 GB is read up to a bound, and what is past it is counted.
# takes long
# exit 4
python3 - <<'END'
import zlib
def number(n):
    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])
def field(tag, data):
    return number(tag << 3 | 2) + number(len(data)) + data
packets = field(1, b"\x40\5") + field(1, field(999, bytes(60 << 20)))
open("bomb.pftrace", "wb").write(field(1, field(50, zlib.compress(packets, 9))) * 40)
packets = field(1, field(999, bytes(100 << 20)))
open("large.pftrace", "wb").write(field(1, field(50, zlib.compress(packets, 9))))
END
tracebridge info bomb.pftrace >out || status=$?
sed -n '/^packets/,$p' out
tracebridge info large.pftrace
exit "$status"
