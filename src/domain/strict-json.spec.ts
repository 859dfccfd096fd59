import * as fc from 'fast-check';
import { parseStrictJson } from './strict-json.js';

/** The value of the native parser; undefined when it throws. */
function native(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function forbidden(path: string): unknown {
  return expect.objectContaining({ kind: 'forbidden', path });
}

function malformedAt(position: number | null): unknown {
  return expect.objectContaining({ kind: 'malformed', position });
}

/** A JSON string that writes each UTF-16 unit of a text as an escape. */
function escapedText(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => String.raw`\u${unit}`).join('')}"`;
}

/** Bits of JSON and of what resembles it; strung together they come close to JSON often enough. */
const piece = fc.constantFrom(
  ...Array.from('{}[],:"\\ \t\n\r\v\u00a0\ufeff\u2028\0\u001f'),
  ...'"a" "b": "\\ud83d\\ude00" "\\/" \\u0061 \\u00 \\x'.split(' '),
  ...'0 - 1 01 -0 1. .5 1.5 1e3 1E+2 1e +1 1e400 9007199254740993 Infinity NaN'.split(' '),
  ..."true false null nul undefined 'a' /**/ __proto__ 😀 \ud800".split(' '),
);

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('parseStrictJson, against JSON.parse', () => {
  it('[A-1] returns the same value for the output of JSON.stringify, as text and as bytes', () => {
    const json = fc.json({ maxDepth: 10, stringUnit: 'binary' }).filter((text) => {
      const isLossless = (value: unknown): boolean =>
        typeof value === 'number'
          ? Number.isSafeInteger(value) || !/^-?\d+$/.test(String(value))
          : typeof value !== 'object' || value === null || Object.values(value).every(isLossless);
      return isLossless(JSON.parse(text)) && !text.includes(String.raw`\u0000`);
    });
    fc.assert(
      fc.property(json, (text) => {
        const expected = { kind: 'value', value: native(text) };
        expect(parseStrictJson(text)).toEqual(expected);
        expect(parseStrictJson(Buffer.from(text))).toEqual(expected);
        expect(parseStrictJson(JSON.stringify(native(text), null, '\t'))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('[A-8] never throws, and calls exactly those texts malformed that JSON.parse refuses', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((parts) => parts.join('')),
    );
    const brokenJson = fc.tuple(fc.json(), fc.nat(), piece).map(([text, at, part]) => {
      const index = at % (text.length + 1);
      return text.slice(0, index) + part + text.slice(index + (at % 2));
    });
    fc.assert(
      fc.property(fc.oneof(texts, brokenJson), (text) => {
        const result = parseStrictJson(text, { maxDepth: 3 });
        const expected = native(text);
        expect(result.kind === 'malformed').toBe(expected === undefined);
        if (result.kind === 'value') expect(result.value).toEqual(expected);
      }),
      { numRuns: 5_000 },
    );
  });

  it('[A-8] never throws on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(['value', 'malformed', 'forbidden']).toContain(parseStrictJson(bytes).kind);
      }),
    );
  });
});

describe('parseStrictJson, malformed text', () => {
  it.each([
    ['', 0],
    ['  ', 2],
    ['{', 1],
    ['{"a":1', 6],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['1 2', 2],
    ['01', 1],
    ['nulL', 0],
    ['"a', 2],
    ['"a\nb"', 2],
    [String.raw`"\x"`, 1],
    [String.raw`"\u12"`, 1],
    ['{"a":1}{"b":2}', 7],
  ])('reports for %j an error at %i', (text, position) => {
    expect(parseStrictJson(text)).toEqual(malformedAt(position));
  });

  it('[A-8] refuses a byte order mark, in text and in bytes', () => {
    expect(parseStrictJson('\ufeff{}')).toEqual(malformedAt(0));
    expect(parseStrictJson(Buffer.from('\ufeff{}'))).toEqual(malformedAt(0));
  });

  it.each([
    ['a stray continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a sequence cut short', [0x22, 0xe2, 0x82, 0x22]],
    ['Latin-1', [0x22, 0xe9, 0x22]],
    ['UTF-16 with a mark', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('[A-8] refuses bytes that are not UTF-8: %s', (_name, bytes) => {
    expect(parseStrictJson(Uint8Array.from(bytes))).toEqual(malformedAt(null));
  });

  it('[A-8] refuses UTF-16 without a mark', () => {
    expect(parseStrictJson(Buffer.from('{}', 'utf16le'))).toEqual(malformedAt(1));
  });

  it('reports text that is no JSON as that, whatever else is wrong in it', () => {
    expect(parseStrictJson('{"a":1,"a":2')).toEqual(malformedAt(12));
  });
});

describe('parseStrictJson, duplicate keys', () => {
  it.each([
    ['{"amount_cents":1,"amount_cents":9}', 'amount_cents'],
    ['{"amount_cents":1,"amount_cents":1}', 'amount_cents'],
    [String.raw`{"amount_cents":1,"\u0061mount_cents":9}`, 'amount_cents'],
    [String.raw`{"😀":1,"\ud83d\ude00":9}`, '😀'],
    ['{"metadata":{"order":1,"order":2}}', 'metadata.order'],
    ['{"list":[0,{"a":1,"b":[],"a":2}]}', 'list.1.a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', ''],
    ['{"1":1,"1":2}', '1'],
  ])('[A-3] refuses %s at %j', (text, path) => {
    expect(parseStrictJson(text)).toEqual(forbidden(path));
  });

  it('[A-3] accepts the same key in different objects, and keys that only look alike', () => {
    for (const text of ['{"a":{"a":[{"a":1},{"a":2}]}}', '{"a":1,"A":2,"a ":3}', '{"é":1,"e\u0301":2}']) {
      expect(parseStrictJson(text)).toEqual({ kind: 'value', value: JSON.parse(text) });
    }
  });

  it('[A-3] finds any repeated key, however it is escaped', () => {
    const keys = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 });
    fc.assert(
      fc.property(keys, fc.nat(), (names, at) => {
        const members = names.map((name) => `${JSON.stringify(name)}:0`);
        expect(parseStrictJson(`{${members.join(',')}}`).kind).toBe('value');
        const again = names[at % names.length] ?? '';
        expect(parseStrictJson(`{${members.join(',')},${escapedText(again)}:1}`).kind).toBe('forbidden');
      }),
    );
  });
});

describe('parseStrictJson, names of the prototype', () => {
  it('[A-5] keeps __proto__ and constructor ordinary keys and pollutes nothing', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const result = parseStrictJson(text);
    const value = result.kind === 'value' ? result.value : null;
    expect(Object.keys(value ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
    expect(JSON.stringify(value)).toBe(text);
  });

  it('[A-5] does not treat inherited names as duplicate keys', () => {
    expect(parseStrictJson('{"toString":1,"hasOwnProperty":2}').kind).toBe('value');
  });
});

describe('parseStrictJson, text', () => {
  it.each([
    [String.raw`{"reference":"a\u0000b"}`, 'reference'],
    [String.raw`{"reference":"\ud800"}`, 'reference'],
    [String.raw`{"reference":"\udc00\ud800"}`, 'reference'],
    [String.raw`{"metadata":{"k":["ok","\uD83D x"]}}`, 'metadata.k.1'],
    ['{"reference":"\ud800"}', 'reference'],
    [String.raw`"\u0000"`, ''],
  ])('[A-6] refuses %j at %j', (text, path) => {
    expect(parseStrictJson(text)).toEqual(forbidden(path));
  });

  it('[A-6] refuses it in keys, and names the key in text that can be stored', () => {
    expect(parseStrictJson(String.raw`{"metadata":{"a\u0000b":1}}`)).toEqual(forbidden('metadata.a\ufffdb'));
    expect(parseStrictJson(String.raw`{"\ud800":1}`)).toEqual(forbidden('\ufffd'));
  });

  it('[A-6] keeps everything else as it was written', () => {
    const text = JSON.stringify({
      reference: '\u202e😀 \u0001 \ufeff\ufffd é e\u0301 \'; DROP TABLE "x"; \\ / \u007f',
    });
    expect(parseStrictJson(Buffer.from(text))).toEqual({ kind: 'value', value: JSON.parse(text) });
  });

  it('never returns a path longer than 200 characters', () => {
    const key = '😀'.repeat(20_000);
    const result = parseStrictJson(`{"${key}":1,"${key}":1}`);
    expect(result).toEqual(forbidden('😀'.repeat(100)));
  });
});

describe('parseStrictJson, numbers', () => {
  it.each(['1e400', '-1e400', '9'.repeat(400), '9007199254740992', '9007199254740993', '-9007199254740993'])(
    '[A-1] refuses %s, which would arrive as another number',
    (literal) => {
      expect(parseStrictJson(`{"amount_cents":${literal}}`)).toEqual(forbidden('amount_cents'));
    },
  );

  it.each(['1.00000000000000000001', '0.99999999999999999999', '4503599627370497.51'])(
    '[A-1] refuses %s, a fraction that would arrive as an integer',
    (literal) => {
      expect(parseStrictJson(`[${literal}]`)).toEqual(forbidden('0'));
    },
  );

  it.each(['0', '-0', '1', '-1.5', '0.1', '1.0', '1e3', '1.5E+3', '2e-7', '9007199254740991', '-9007199254740991'])(
    '[A-1] reads %s',
    (literal) => {
      expect(parseStrictJson(literal)).toEqual({ kind: 'value', value: Number(literal) });
    },
  );

  it.each(['1e3', '1E3', '1.5e+3', '100e-2'])('[A-1] refuses %s where exponents are not wanted', (literal) => {
    const rules = { maxDepth: 20, refuseExponents: true };
    expect(parseStrictJson(`{"amount_cents":${literal}}`, rules)).toEqual(forbidden('amount_cents'));
  });
});

describe('parseStrictJson, depth and size', () => {
  it('[A-9] reads 20 levels and refuses the 21st', () => {
    expect(parseStrictJson(nested(20)).kind).toBe('value');
    expect(parseStrictJson(nested(21))).toEqual(forbidden(Array(20).fill('0').join('.')));
    expect(parseStrictJson('{"a":{"b":[]}}', { maxDepth: 2 })).toEqual(forbidden('a.b'));
  });

  it('[A-9] counts only open brackets', () => {
    expect(parseStrictJson(`[${Array(100).fill(nested(19)).join(',')}]`).kind).toBe('value');
  });

  // Each text is 16 to 32 times the largest body that is read. Anything worse than linear would not end within the time limit.
  it.each([
    ['brackets opened', '['.repeat(2_000_000), 'malformed'],
    ['brackets opened and closed', nested(1_000_000), 'forbidden'],
    ['objects in objects', `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`, 'forbidden'],
    ['different keys', `{${Array.from({ length: 100_000 }, (_, i) => `"key${i}":0`).join(',')}}`, 'value'],
    [
      'keys that are array indexes',
      `{${Array.from({ length: 100_000 }, (_, i) => `"${i * 4096}":0`).join(',')}}`,
      'value',
    ],
    ['the same key', `{${Array(200_000).fill('"a":0').join(',')}}`, 'forbidden'],
    ['one string of escapes', `"${String.raw`\n`.repeat(1_000_000)}"`, 'value'],
    ['a string without an end', `"${'\\\\'.repeat(1_000_000)}`, 'malformed'],
    ['space', ' '.repeat(2_000_000), 'malformed'],
    ['digits', '1'.repeat(2_000_000), 'forbidden'],
    ['digits of a fraction', `0.${'1'.repeat(2_000_000)}e`, 'malformed'],
  ])('[A-9] answers 1 to 2 million characters of %s', (_name, text, kind) => {
    expect(parseStrictJson(text).kind).toBe(kind);
  });
});
