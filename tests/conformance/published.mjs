// SPDX-License-Identifier: Apache-2.0
//
// Perfetto's published .proto files, as its trace processor carries them: their compiled descriptors are in
// trace_processor.wasm. A schema is {messages, enums}: both by full name, without a leading dot; each message has its
// fields by name (those of extensions are named after the message that holds them), each enum its values by name, and
// both the file that they are of.
import fs from "node:fs";

export function* wireFields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (at >= bytes.length || shift > 63n) throw new RangeError("a varint is cut off");
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length) => {
    if (length > bytes.length - at) throw new RangeError("a field is cut off");
    return bytes.subarray(at, (at += length));
  };
  while (at < bytes.length) {
    const tag = Number(varint()), type = tag & 7;
    if (tag < 8) throw new RangeError("no field number");
    if (type === 0) yield [tag >> 3, Number(BigInt.asIntN(64, varint()))];
    else if (type === 2) yield [tag >> 3, take(Number(varint()))];
    else if (type === 1 || type === 5) yield [tag >> 3, take(type === 1 ? 8 : 4)];
    else throw new RangeError("no wire type of a descriptor");
  }
}

const SCALARS = [
  , "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group", "message", "bytes",
  "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64"
];

// FieldDescriptorProto, EnumDescriptorProto, DescriptorProto and FileDescriptorProto of protobuf's descriptor.proto.
function readField(bytes) {
  const field = { repeated: false, typeName: "" };
  for (const [number, value] of wireFields(bytes)) {
    if (number === 1) field.name = value.toString();
    else if (number === 2) field.extendee = value.toString().slice(1);
    else if (number === 3) field.number = value;
    else if (number === 4) field.repeated = value === 3;
    else if (number === 5) field.type = SCALARS[value];
    else if (number === 6) field.typeName = value.toString().slice(1);
  }
  return field;
}

function readEnum(schema, file, scope, bytes) {
  const values = new Map();
  let name;
  for (const [number, value] of wireFields(bytes)) {
    if (number === 1) name = scope + value.toString();
    if (number !== 2) continue;
    const entry = Object.fromEntries(wireFields(value));
    values.set(entry[1].toString(), entry[2]);
  }
  schema.enums.set(name, { file, values });
}

function addExtension(schema, file, scope, bytes) {
  const field = { ...readField(bytes), file };
  schema.extensions.push({ ...field, scope });
}

function readMessage(schema, file, scope, bytes) {
  const message = { file, fields: new Map() }, inside = [];
  let name;
  for (const [number, value] of wireFields(bytes)) {
    if (number === 1) name = scope + value.toString();
    else if (number === 2) {
      const field = { ...readField(value), file };
      message.fields.set(field.name, field);
    } else if (number === 3 || number === 4 || number === 6) inside.push([number, value]);
  }
  schema.messages.set(name, message);
  for (const [number, value] of inside) {
    if (number === 3) readMessage(schema, file, `${name}.`, value);
    else if (number === 4) readEnum(schema, file, `${name}.`, value);
    else addExtension(schema, file, `${name}.`, value);
  }
}

function readFile(schema, bytes) {
  const parts = [...wireFields(bytes)];
  const file = parts.find(([number]) => number === 1)[1].toString();
  const scope = `${parts.find(([number]) => number === 2)?.[1] ?? ""}.`.replace(/^\.$/, "");
  if (schema.files.has(file)) return;
  schema.files.add(file);
  for (const [number, value] of parts) {
    if (number === 4) readMessage(schema, file, scope, value);
    else if (number === 5) readEnum(schema, file, scope, value);
    else if (number === 7) addExtension(schema, file, scope, value);
  }
}

const newSchema = () => ({ files: new Set(), messages: new Map(), enums: new Map(), extensions: [] });

// A FileDescriptorSet, as protoc writes it.
export function readDescriptorSet(bytes) {
  const schema = newSchema();
  for (const [number, value] of wireFields(bytes)) if (number === 1) readFile(schema, value);
  return schema;
}

// The FileDescriptorProto whose name's text ends at `end`: its tag and length are before the name's. Undefined where
// there is none.
function fileAround(bytes, end) {
  for (let start = end - 6; start > end - 127 && start > 8; start--) {
    if (bytes[start - 1] !== end - start || bytes[start - 2] !== 0x0a) continue;
    for (let head = 1; head <= 4; head++) {
      const at = start - 2 - head;
      if (bytes[at - 1] !== 0x0a) continue;
      let length = 0;
      for (let i = 0; i < head; i++) length += (bytes[at + i] & 127) * 128 ** i;
      const file = bytes.subarray(start - 2, start - 2 + length);
      try {
        if (file.length === length && [...wireFields(file)].length) return file;
      } catch {
        continue;
      }
    }
  }
  return undefined;
}

// All descriptors that are anywhere in a file.
export function findDescriptors(path) {
  const schema = newSchema(), bytes = fs.readFileSync(path), suffix = ".proto";
  for (let at = bytes.indexOf(suffix); at >= 0; at = bytes.indexOf(suffix, at + 1)) {
    const file = fileAround(bytes, at + suffix.length);
    if (file) readFile(schema, file);
  }
  return schema;
}
