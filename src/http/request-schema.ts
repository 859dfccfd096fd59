import { z } from 'zod';
import { hasForbiddenText } from '../domain/text.js';
import { parseTimestamp } from '../domain/timestamp.js';

const nullableFields = new WeakSet<z.core.$ZodType>();

/** Whether a field is an optional field of a request body, which may also be `null`. */
export const isNullableField = (field: z.core.$ZodType): boolean => nullableFields.has(field);

/**
 * The schema of a JSON body: an object with exactly these fields. `null` in an optional field means that it is absent,
 * because many clients send their unset fields like that.
 */
export function bodyOf<Shape extends z.core.$ZodShape>(shape: Shape) {
  const optional = Object.entries(shape).filter(([, field]) => z.safeParse(field, undefined).success);
  const names = new Set(optional.map(([name]) => name));
  for (const [, field] of optional) nullableFields.add(field);
  return z.preprocess((body) => withoutNulls(body, names), z.strictObject(shape));
}

function withoutNulls(body: unknown, names: ReadonlySet<string>): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== null || !names.has(name)));
}

/**
 * The schema of a query string: only these parameters, each at most once. Fields are written as for JSON (`z.int()`,
 * `z.boolean()`); strings of the query are converted only when they are the exact text of such a value.
 */
export function queryOf<Shape extends z.core.$ZodShape>(shape: Shape) {
  const types = new Map(Object.entries(shape).map(([name, field]) => [name, jsonTypeOf(field)]));
  return z.preprocess((query, ctx) => {
    const values: [string, unknown][] = [];
    for (const [name, value] of Object.entries(query ?? {})) {
      if (Array.isArray(value)) ctx.addIssue({ code: 'custom', path: [name], message: 'was given more than once' });
      else values.push([name, coerce(value, types.get(name))]);
    }
    // Without assignments: a parameter called `__proto__` must stay visible, so that it is refused.
    return Object.fromEntries(values);
  }, z.strictObject(shape));
}

function jsonTypeOf(field: z.core.$ZodType): unknown {
  return z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }).type;
}

/** Converts a string to the type. Other strings stay unchanged, and the schema reports the error. */
function coerce(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^\d+$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/**
 * The schema of text that the database and UTF-8 can hold, with `min` (0) to `max` characters. Characters are code points,
 * as in JSON Schema and PostgreSQL: an emoji is one.
 */
export function safeText({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .refine((text) => !hasForbiddenText(text), { error: 'must not contain a NUL or half of a surrogate pair' })
    .refine((text) => lengthOf(text) >= min, { error: `must have at least ${min} character${min === 1 ? '' : 's'}` })
    .refine((text) => lengthOf(text) <= max, { error: `must have at most ${max} character${max === 1 ? '' : 's'}` })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

function lengthOf(text: string): number {
  return text.length > 0 ? Array.from(text).length : 0;
}

/** The schema of a time in a query: a date-time with a zone, or a date, which means its midnight UTC. */
export function timestampText() {
  return z
    .string()
    .transform((text, ctx) => {
      const date = parseTimestamp(text);
      if (date !== null) return date;
      ctx.addIssue({ code: 'custom', message: 'must be an ISO 8601 date-time with a zone, or a date', input: text });
      return z.NEVER;
    })
    .meta({ examples: ['2026-01-31T12:00:00Z'] });
}
