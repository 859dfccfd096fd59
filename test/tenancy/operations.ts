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

/** The parts of an OpenAPI document that describe requests. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A place in a request that has an id by the document: `id` of the path, `starting_after`... */
export interface Reference {
  readonly name: string;
  /** The collection of the id, as in paths: `payment-intents`. */
  readonly collection: string;
}

/** One operation of the document, and every place of an id in it. */
export interface ApiOperation {
  readonly method: string;
  /** With `{name}` where an id belongs. */
  readonly path: string;
  readonly inPath: readonly Reference[];
  readonly inQuery: readonly Reference[];
  readonly inBody: readonly Reference[];
  /** Names of the query's filters that look objects up by something other than our ids. */
  readonly lookups: readonly string[];
  /** The document's example of the operation's body; undefined when it takes none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Filters whose values merchants may share or learn of each other. They are not ids, but could reveal foreign objects. */
const LOOKUPS: readonly string[] = ['address', 'destination', 'reference', 'tx_hash'];

/** Texts of requests that name no object: words, amounts, times, places. */
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
 * Returns every operation of the document.
 * @throws Error when a text of a request is neither listed as plain nor named like an id, or a body has no example. A new
 *   field must be classified here.
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
