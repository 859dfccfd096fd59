import { z } from 'zod';
import { DomainError, type FieldError } from '../domain/errors.js';

const ERRORS_MAX = 20;
const PARAM_LENGTH_MAX = 200;

/** The part of the request that a value comes from: it decides the noun for an unknown name. */
export type RequestPart = 'body' | 'query';

/**
 * Messages that replace zod's own: what a field must be, without its name, which `validationError` adds. A message of a
 * schema overrides these and has the same form: `must be a date`.
 */
export const predicateOf: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code)) {
    return 'is required';
  }
  switch (issue.code) {
    case 'invalid_type':
      // For a string, zod's integers only report that they expected a number.
      return `must be ${nameOfType(isInteger(issue.inst) ? 'int' : issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return sizeSentence('at least', issue.minimum, issue.origin);
    case 'too_big':
      return sizeSentence('at most', issue.maximum, issue.origin);
    case 'invalid_format':
      return issue.format === 'regex' ? 'does not have the expected form' : `must be a valid ${issue.format}`;
    case 'invalid_key':
      return `has a name that ${issue.issues[0]?.message ?? 'is not allowed'}`;
    case 'invalid_union':
      return `must be ${unionOf(issue.errors)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'is not valid';
  }
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function isInteger(schema: unknown): boolean {
  return schema instanceof z.ZodNumber && schema.isInt;
}

function nameOfType(expected: string): string {
  return TYPE_NAMES[expected] ?? `of type ${expected}`;
}

function sizeSentence(bound: 'at least' | 'at most', size: number | bigint, origin: string): string {
  const units: Readonly<Record<string, string>> = { string: 'character', array: 'item', set: 'item', object: 'field' };
  const unit = units[origin];
  return unit === undefined ? `must be ${bound} ${size}` : `must have ${bound} ${size} ${unit}${size === 1 ? '' : 's'}`;
}

/** Lists the types of a union; a branch of the right type with an error inside contributes that error. */
function unionOf(branches: z.core.$ZodIssue[][]): string {
  const names = branches.map((issues) => (issues[0]?.message ?? '').replace(/^must be /, ''));
  return [...new Set(names)].filter((name) => name !== '').join(', or ') || 'of another type';
}

/** Converts issues to `invalid_request`: one error with its `param`, several as `errors`, at most twenty. */
export function validationError(issues: readonly z.core.$ZodIssue[], part: RequestPart): DomainError {
  const faults = new Map<string, string>();
  for (const { param, message } of issues.flatMap((issue) => faultsOf(issue, part))) {
    if (!faults.has(param)) faults.set(param, message);
  }
  const errors: FieldError[] = [...faults].slice(0, ERRORS_MAX).map(([param, message]) => ({ param, message }));
  const [first] = errors;
  if (first === undefined) return new DomainError('invalid_request', `The ${part} is not valid.`);
  if (errors.length > 1) {
    const names = errors.map(({ param }) => param).join(', ');
    return new DomainError('invalid_request', `Invalid fields: ${names}.`, { errors });
  }
  return new DomainError('invalid_request', first.message, first.param === '' ? {} : { param: first.param });
}

function faultsOf(issue: z.core.$ZodIssue, part: RequestPart): FieldError[] {
  if (issue.code !== 'unrecognized_keys') return [fieldError(issue.path, issue.message, part)];
  const noun = part === 'query' ? 'parameter' : 'field';
  return issue.keys.map((key) => fieldError([...issue.path, key], `is not a known ${noun}`, part));
}

function fieldError(path: readonly PropertyKey[], predicate: string, part: RequestPart): FieldError {
  const param = path.map(String).join('.').slice(0, PARAM_LENGTH_MAX);
  return { param, message: `${param === '' ? `The ${part}` : param} ${predicate}.` };
}
