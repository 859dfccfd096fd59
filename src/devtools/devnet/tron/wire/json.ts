/** What this chain answers: JSON whose whole numbers may be 64 bits long, as in java-tron's answers. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [name: string]: Json };

export type JsonObject = { readonly [name: string]: Json };

/** Writes JSON with numbers of any length. */
export function jsonText(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(jsonText).join(',')}]`;
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)
    .join(',')}}`;
}

/** Leaves out what has the default of its type, as java-tron does: 0, false, empty texts, lists and nothing. */
export function withoutDefaults(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && !isDefault(value)) kept[name] = value;
  }
  return kept;
}

const isDefault = (value: Json): boolean =>
  value === 0 || value === 0n || value === false || value === '' || (isList(value) && value.length === 0);

// Array.isArray does not narrow readonly lists.
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
