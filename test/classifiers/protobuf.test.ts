import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../src/classifiers/protobuf.js';

const hex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

describe('the values of a field', () => {
  // The first three are the examples of protobuf.dev, "Encoding".
  it.each([
    ['a varint', '089601', 1, [150]],
    ['a text', '120774657374696e67', 2, [hex('74657374696e67')]],
    ['a message', '1a03089601', 3, [hex('089601')]],
    ['several', '080108020803', 1, [1, 2, 3]],
    ['those of another field', '0801', 2, []],
    ['a field of more than 15', '80010a', 16, [10]],
    ['after 64 and 32 bits', '0901020304050607080d01020304' + '1005', 2, [5]],
    ['of 64 and 32 bits are passed over', '0901020304050607080d01020304', 1, []],
    ['-1, as it is sent', '08ffffffffffffffffff01', 1, [2 ** 64]],
    ['nothing', '', 1, []],
    ['no bytes', '0a00', 1, [hex('')]],
  ])('of %s', (_, message, field, values) => {
    expect(valuesOf(hex(message), field)).toEqual(values);
  });

  it('are read from any view, and from its part of the buffer', () => {
    const { buffer } = hex('ffff089601ff');
    expect(valuesOf(new DataView(buffer, 2, 3), 1)).toEqual([150]);
    expect(valuesOf(Buffer.from(buffer, 2, 3), 1)).toEqual([150]);
  });
});

describe('no message', () => {
  it.each([
    ['is a varint without an end', '0880'],
    ['is a varint of more than ten bytes', '08ffffffffffffffffffff01'],
    ['is a tag without a value', '08'],
    ['is a text that is cut', '1203aabb'],
    ['are 64 bits that are cut', '0901'],
    ['are 32 bits that are cut', '0d01'],
    ['is a group', '0b0c'],
    ['is the type 6', '0e'],
  ])('%s', (_, message) => {
    expect(() => valuesOf(hex(message), 1)).toThrow(RangeError);
  });

  it.each([undefined, null, 'CAE=', [8, 1], 5, { length: 1, 0: 8 }])('is %j', (message) => {
    expect(() => valuesOf(message, 1)).toThrow(RangeError);
  });

  it('makes it throw anything but a RangeError, or run on', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.integer({ min: 1, max: 16 }), (bytes, field) => {
        try {
          expect(valuesOf(bytes, field).length).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

it.each([0, 1, 127])('a varint of one byte may be %d', (value) => {
  expect(valuesOf(Uint8Array.of(8, value), 1)).toEqual([value]);
});
