/** JSON Schema, as far as requests use it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: Schema; readonly examples?: Record<string, { readonly value: unknown }> }>
    >;
  };
}

/** The parts of an OpenAPI document that say what can be sent. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A place in a request that holds the id of something, by the document: `id` of the path, `starting_after`... */
export interface Reference {
  readonly name: string;
  /** What the id names, as its collection is called in paths: `payment-intents`. */
  readonly collection: string;
}

/** One operation of the document, and every place in it where an id can stand. */
export interface ApiOperation {
  readonly method: string;
  /** With `{name}` where an id belongs. */
  readonly path: string;
  readonly inPath: readonly Reference[];
  readonly inQuery: readonly Reference[];
  readonly inBody: readonly Reference[];
  /** Names of the query's filters by which something is looked up that is no id of ours. */
  readonly lookups: readonly string[];
  /** A body that the operation takes: the document's own example; undefined where it takes none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** What lists look things up by, and merchants may share or come to know of each other: no id, and yet an oracle. */
const LOOKUPS: readonly string[] = ['address', 'destination', 'reference', 'tx_hash'];

/** Text of requests that names nothing of ours: words, amounts, moments, places. */
const PLAIN_TEXT = new Set([
  ...LOOKUPS,
  'amount',
  'created_gte',
  'created_lt',
  'description',
  'metadata',
  'settlement_currency',
  'since',
  'token',
  'url',
]);

/**
 * Every operation of the document.
 * @throws Error when a text of some request is neither known as plain nor named like an id, and when a body has no
 *   example: whoever adds such a field says here what it is.
 */
export function operationsOf(document: ApiDocument): ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => operationOf(document, method.toUpperCase(), path, operation)),
  );
}

function operationOf(
  document: ApiDocument,
  method: string,
  path: string,
  { parameters = [], requestBody }: DocumentedOperation,
): ApiOperation {
  const place = `${method} ${path}`;
  const own = parameters.filter((parameter) => parameter.$ref === undefined);
  const media = requestBody?.content['application/json'];
  const [example] = Object.values(media?.examples ?? {});
  if (media !== undefined && example === undefined) throw new Error(`The body of ${place} has no example.`);
  const inQuery = own.filter((parameter) => parameter.in === 'query');
  return {
    method,
    path,
    inPath: [...path.matchAll(/([^/]+)\/\{(\w+)\}/g)].map(([, collection = '', name = '']) => ({ name, collection })),
    inQuery: inQuery.flatMap(({ name, schema }) => referencesIn(document, place, name, schema)),
    inBody: media === undefined ? [] : referencesIn(document, place, '', media.schema),
    lookups: inQuery.map(({ name }) => name).filter((name) => LOOKUPS.includes(name)),
    body: Object(example)?.value,
  };
}

function referencesIn(document: ApiDocument, place: string, name: string, schema: Schema): Reference[] {
  if (schema.$ref !== undefined) {
    const named = document.components.schemas[schema.$ref.replace('#/components/schemas/', '')];
    return referencesIn(document, place, name, named ?? {});
  }
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => referencesIn(document, place, name, one));
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([key, value]) => referencesIn(document, place, key, value));
  }
  if (schema.items !== undefined) return referencesIn(document, place, name, schema.items);
  if (!mayHoldAnId(schema) || PLAIN_TEXT.has(name)) return [];
  return [{ name, collection: collectionOf(place, name) }];
}

const WITHOUT_IDS = new Set(['integer', 'number', 'boolean', 'null']);

/** A schema without a type allows any; one with several, such as `["string", "null"]`, each of them. */
const mayHoldAnId = ({ type = 'string', enum: values, const: value }: Schema): boolean =>
  values === undefined && value === undefined && [type].flat().some((one) => !WITHOUT_IDS.has(one));

function collectionOf(place: string, name: string): string {
  if (name === 'starting_after') return place.split('/').at(-1) ?? '';
  if (name === 'endpoint_id') return 'webhook-endpoints';
  const noun = /^(\w+)_id$/.exec(name)?.[1];
  if (noun !== undefined) return `${noun.replaceAll('_', '-').replace(/y$/, 'ie')}s`;
  throw new Error(`${place} takes the text "${name}": name it among PLAIN_TEXT, or call it <thing>_id if it is an id.`);
}
