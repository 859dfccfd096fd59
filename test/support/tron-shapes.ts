import { readFileSync } from 'node:fs';
import { z } from 'zod';

type Shape = string | readonly Shape[] | { readonly [name: string]: Shape };

const SHAPE: z.ZodType<Shape> = z.lazy(() => z.union([z.string(), z.array(SHAPE), z.record(z.string(), SHAPE)]));
const FILE = z.object({ answers: z.record(z.string(), z.string()), definitions: z.record(z.string(), SHAPE) });

const { answers, definitions } = FILE.parse(
  JSON.parse(readFileSync(new URL('../vectors/tron/shapes.json', import.meta.url), 'utf8')),
);

/** The paths whose answers have a documented shape. */
export const SHAPED_PATHS: readonly string[] = Object.keys(answers).filter((path) => answers[path]?.startsWith('@'));

/**
 * Compares an answer with the shape that the documentation gives for its path. Returns what differs: members that are
 * unknown or missing, and values of another type.
 */
export function shapeErrors(path: string, answer: unknown): string[] {
  const [shape = ''] = (answers[path] ?? '').split(' | ');
  if (!shape.startsWith('@')) throw new Error(`${path} has no shape.`);
  return Array.isArray(answer)
    ? answer.flatMap((one, index) => errorsOf(shape, one, `[${index}]`))
    : errorsOf(shape, answer, '');
}

function errorsOf(shape: Shape, value: unknown, at: string): string[] {
  if (typeof shape === 'string') return textErrors(shape, value, at);
  if (isList(shape)) {
    const [element] = shape;
    if (!Array.isArray(value) || element === undefined) return [`${at} is no list`];
    return value.flatMap((one, index) => errorsOf(element, one, `${at}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`];
  const fields = new Map(Object.entries(shape).map(([name, field]) => [name.replace(/!$/, ''), field]));
  const missing = Object.keys(shape)
    .filter((name) => name.endsWith('!') && !(name.slice(0, -1) in value))
    .map((name) => `${at}.${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const field = fields.get(name) ?? fields.get('*');
    // Both are added to a transaction by the HTTP interface, outside of its protobuf message.
    if (field === undefined) return isAddedByHttp(name) ? [] : [`${at}.${name} is unknown`];
    return errorsOf(field, member, `${at}.${name}`);
  });
  return [...missing, ...wrong];
}

function textErrors(shape: string, value: unknown, at: string): string[] {
  if (shape.includes(' | ')) {
    const choices = shape.split(' | ').map((one) => errorsOf(one, value, at));
    return choices.some((errors) => errors.length === 0) ? [] : (choices[0] ?? []);
  }
  if (shape.startsWith('@')) return errorsOf(definitions[shape.slice(1)] ?? '?', value, at);
  if (shape.startsWith('enum(')) {
    const names = shape.slice('enum('.length, -1).split('|');
    return typeof value === 'string' && names.includes(value) ? [] : [`${at} is none of ${shape}`];
  }
  const type = shape.startsWith('integer') ? 'integer' : shape;
  const isRight = type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
  return isRight ? [] : [`${at} is ${JSON.stringify(value)} and not ${shape}`];
}

const isAddedByHttp = (name: string): boolean => ['txID', 'visible', 'raw_data_hex'].includes(name);

const isList = (shape: Shape): shape is readonly Shape[] => Array.isArray(shape);
