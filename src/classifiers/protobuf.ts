const malformed = (): RangeError => new RangeError('no protobuf message');

/**
 * The values of one field of a protobuf message (protobuf.dev, "Encoding"): of a varint a number, inexact from 2^53 on, and negative
 * ones as they are sent, near 2^64; of what has a length its bytes. Those of fixed size are passed over.
 *
 * @throws {RangeError} if the message is none
 */
export function valuesOf(message: unknown, field: number): (number | Uint8Array)[] {
  if (!ArrayBuffer.isView(message)) throw malformed();
  const bytes = new Uint8Array(message.buffer, message.byteOffset, message.byteLength);
  const values: (number | Uint8Array)[] = [];
  let at = 0;
  const varint = (): number => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = bytes[at];
      if (byte === undefined || scale > 2 ** 63) throw malformed();
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag % 8;
    const number = type === 0 ? varint() : type === 1 ? 8 : type === 2 ? varint() : type === 5 ? 4 : Infinity;
    const start = at;
    if (type !== 0) at += number;
    if (at > bytes.length) throw malformed();
    if ((tag - type) / 8 === field && (type === 0 || type === 2)) values.push(type === 0 ? number : bytes.subarray(start, at));
  }
  return values;
}
