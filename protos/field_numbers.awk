# SPDX-License-Identifier: Apache-2.0
#
# Prints a C header that names every field number and enum value of the .proto files it reads, so that the wire code spells
# none: message TracePacket, field timestamp -> TB_TRACE_PACKET_TIMESTAMP; values of an enum are named after the message around it.

function upper_snake(name) {
  gsub(/[A-Z][a-z]/, "_&", name)
  gsub(/__/, "_", name)
  sub(/^_/, "", name)
  return toupper(name)
}

function scope(levels,    i, text) {
  text = ""
  for (i = 1; i <= levels; i++) text = text kind_name[i] "_"
  return text
}

BEGIN {
  print "/* Made from the .proto files by field_numbers.awk. */"
  print "#ifndef TB_PROTOS_FIELD_NUMBERS_H"
  print "#define TB_PROTOS_FIELD_NUMBERS_H\n"
  depth = 0
}

{ sub(/\/\/.*/, "") }

/^ *(message|enum) / {
  depth++
  kind[depth] = $1
  kind_name[depth] = upper_snake($2)
  if ($1 == "enum") print "enum {"
  else if (depth >= 1) open_message[depth] = 1
  next
}

/^ *}/ {
  if (kind[depth] == "enum") print "};"
  depth--
  next
}

kind[depth] == "enum" && /=/ {
  split($0, part, /[ =;]+/)
  i = part[1] == "" ? 2 : 1
  print "  TB_" scope(depth - 1) part[i] " = " part[i + 1] ","
}

kind[depth] == "message" && /^ *(optional|repeated|required) / {
  print "enum { TB_" scope(depth) toupper($3) " = " $5 + 0 " };"
}

END { print "\n#endif" }
