import { z } from 'zod';
import type { ErrorDetails } from '../domain/errors.js';
import { listPage } from './pagination.js';
import { bodyOf, queryOf, safeText, timestampText } from './request-schema.js';
import { predicateOf, validationError } from './validation-error.js';

function refusal(schema: z.ZodType, value: unknown): { message: string; details: ErrorDetails } {
  const result = schema.safeParse(value, { error: predicateOf });
  if (result.success) throw new Error('expected a refusal');
  const { message, details } = validationError(result.error.issues, 'body');
  return { message, details };
}

describe('messages of refusals', () => {
  const metadata = z.record(safeText({ max: 4 }), z.union([safeText({ max: 5 }), z.number(), z.boolean()]));

  it.each([
    [z.int(), '1', 'x must be an integer.'],
    [z.int(), 1.5, 'x must be an integer.'],
    [z.int(), 2 ** 60, 'x must be at most 9007199254740991.'],
    [z.int().min(1), 0, 'x must be at least 1.'],
    [z.int(), undefined, 'x is required.'],
    [z.enum(['a', 'b']), undefined, 'x is required.'],
    [z.enum(['a', 'b']), 'c', 'x must be one of a, b.'],
    [z.literal('a'), 'c', 'x must be a.'],
    [z.string(), null, 'x must be a string.'],
    [z.boolean(), 'true', 'x must be true or false.'],
    [z.array(z.string()).max(1), ['a', 'b'], 'x must have at most 1 item.'],
    [z.url(), 'nope', 'x must be a valid url.'],
    [z.string().regex(/^a$/), 'b', 'x does not have the expected form.'],
    [safeText({ max: 2 }), 'abc', 'x must have at most 2 characters.'],
    [safeText({ max: 2 }), 'a\0', 'x must not contain a NUL or half of a surrogate pair.'],
    [metadata, [], 'x must be an object.'],
  ])('names the field and what it must be (%#)', (schema, value, sentence) => {
    const { message, details } = refusal(bodyOf({ x: schema }), { x: value });
    expect({ message, param: details.param }).toEqual({ message: sentence, param: 'x' });
  });

  it('names nested fields and too long names of records by a dotted path', () => {
    expect(refusal(bodyOf({ metadata }), { metadata: { long_name: 1 } })).toMatchObject({
      message: 'metadata.long_name has a name that must have at most 4 characters.',
      details: { param: 'metadata.long_name' },
    });
    expect(refusal(bodyOf({ metadata }), { metadata: { a: [] } }).message).toBe(
      'metadata.a must be a string, or a number, or true or false.',
    );
    expect(refusal(bodyOf({ list: z.array(z.int()) }), { list: [1, 'x'] }).details.param).toBe('list.1');
  });

  it('[A-4] names every unknown field, and lists several errors instead of one param', () => {
    expect(refusal(bodyOf({}), { merchant_id: 'mer_1' })).toMatchObject({
      message: 'merchant_id is not a known field.',
      details: { param: 'merchant_id' },
    });
    const { details } = refusal(bodyOf({ a: z.int(), b: z.int() }), { a: 'x', b: 1, c: 1, d: 1 });
    expect(details.param).toBeUndefined();
    expect(details.errors?.map(({ param }) => param)).toEqual(['a', 'c', 'd']);
  });

  it('requires the body to be an object, and lists at most twenty errors', () => {
    expect(refusal(bodyOf({}), [1])).toEqual({ message: 'The body must be an object.', details: {} });
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, n]));
    expect(refusal(bodyOf({}), many).details.errors).toHaveLength(20);
  });
});

describe('safeText', () => {
  it('[A-6] counts code points, and refuses half of a surrogate pair', () => {
    expect(safeText({ max: 2 }).safeParse('😀😀').success).toBe(true);
    expect(safeText({ max: 2 }).safeParse('😀😀😀').success).toBe(false);
    expect(safeText({ max: 9 }).safeParse('\ud83d').success).toBe(false);
  });
});

describe('queryOf', () => {
  const schema = queryOf({ limit: z.int().min(1).max(100).default(25), open: z.boolean().optional() });

  it('[A-10] converts strings to integers and booleans only when they are exact', () => {
    expect(schema.parse({ limit: '7', open: 'false' })).toEqual({ limit: 7, open: false });
    expect(schema.parse({})).toEqual({ limit: 25 });
    for (const limit of ['0', '101', '1.5', '25abc', '1e1', '-1', '+1', '', ' 1', '0x10', '9'.repeat(40)]) {
      expect(schema.safeParse({ limit }).success).toBe(false);
    }
    expect(schema.safeParse({ open: '1' }).success).toBe(false);
  });

  it('reads a timestamp into a date', () => {
    const created = queryOf({ created_gte: timestampText() });
    expect(created.parse({ created_gte: '2026-01-31' })).toEqual({ created_gte: new Date('2026-01-31T00:00:00Z') });
    expect(created.safeParse({ created_gte: '2026-02-30' }).success).toBe(false);
  });
});

describe('listPage', () => {
  const items = [{ id: 'c' }, { id: 'b' }, { id: 'a' }];

  it('[spec 2.3] returns the last id as the cursor only when there are more items', () => {
    expect(listPage(items, 2)).toEqual({
      object: 'list',
      has_more: true,
      next_cursor: 'b',
      data: [{ id: 'c' }, { id: 'b' }],
    });
    expect(listPage(items, 3)).toMatchObject({ has_more: false, next_cursor: null });
    expect(listPage([], 3)).toEqual({ object: 'list', has_more: false, next_cursor: null, data: [] });
  });
});
