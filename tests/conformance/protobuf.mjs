// SPDX-License-Identifier: Apache-2.0
//
// Encodes protobuf fields: varints, and bytes, texts or messages.

export function varint(value) {
  const bytes = [];
  for (value = BigInt(value); value > 127n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
  return Buffer.from([...bytes, Number(value)]);
}

export const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);

export function bytes(field, ...parts) {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
}
