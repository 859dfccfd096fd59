import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Operation {
  readonly responses: Record<string, { content?: Record<string, { schema?: object; examples?: object }> }>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
}

/** What the answers of one API are checked with. */
interface Checks {
  readonly document: Document;
  /** The paths of the document, each as it looks in a request. */
  readonly templates: readonly (readonly [template: string, pattern: RegExp])[];
  readonly ajv: Ajv2020;
  /** By method, path and status. */
  readonly validators: Map<string, ValidateFunction>;
}

/** By the path of the API: all services of a run are made of the same sources, so the document of one is that of the others. */
const known = new Map<string, Promise<Checks>>();

/**
 * Fails when an answer does not match the service's OpenAPI document, or that of its console: an undocumented status or error code, a
 * missing field, or an undocumented field. Paths that are not in the document (unknown routes) are
 * left to the test.
 */
export async function assertDocumented(
  url: string,
  method: string,
  path: string,
  status: number,
  body: unknown,
): Promise<void> {
  const checks = await checksOf(url, path.startsWith('/admin/api/') ? '/admin/api' : '');
  const [pathname = ''] = path.split('?', 1);
  const [template = ''] = checks.templates.find(([, pattern]) => pattern.test(pathname)) ?? [];
  const operation = checks.document.paths[template]?.[method.toLowerCase()];
  if (operation === undefined) return;
  const { schema, examples } = operation.responses[String(status)]?.content?.['application/json'] ?? {};
  if (schema === undefined) throw new Error(`${method} ${template} answered ${status}, which is not documented.`);
  const validate = validatorOf(checks, `${method} ${template} ${status}`, schema);
  if (!validate(body)) {
    throw new Error(
      `${method} ${template} ${status}: ${checks.ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`,
    );
  }
  const code = status < 400 ? null : codeOf(body);
  if (code !== null && !Object.hasOwn(examples ?? {}, code)) {
    throw new Error(`${method} ${template} answered ${status} ${code}, a code that is not documented.`);
  }
}

/** The code of an error object; null for other bodies. */
function codeOf(body: unknown): string | null {
  const error: unknown = Object(body).error;
  const code: unknown = Object(error).code;
  return typeof code === 'string' ? code : null;
}

function validatorOf({ ajv, validators }: Checks, key: string, schema: object): ValidateFunction {
  const validate = validators.get(key) ?? ajv.compile(closedSchema(schema));
  validators.set(key, validate);
  return validate;
}

function checksOf(url: string, api: string): Promise<Checks> {
  const loading = known.get(api) ?? load(`${url}${api}/openapi.json`);
  known.set(api, loading);
  // A service that could not answer leaves the question to the next one.
  loading.catch(() => known.delete(api));
  return loading;
}

async function load(url: string): Promise<Checks> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  const document = (await response.json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...closedSchema(document), $id: 'openapi' });
  const templates = Object.keys(document.paths).map((template) => [template, patternOf(template)] as const);
  return { document, templates, ajv, validators: new Map() };
}

/**
 * A schema of the document, or all of it, as these tests use it. References are relative to the document, so a schema
 * taken out of it must name its document. The published schemas let a later version add fields, but an answer
 * of this version must not have undocumented fields: here every object is closed.
 */
export function closedSchema(value: object): object {
  const rebased = JSON.stringify(value).replaceAll('"#/components/', '"openapi#/components/');
  return JSON.parse(rebased, (_name, node: unknown) => {
    const { type, properties, additionalProperties } = Object(node);
    const isOpen = type === 'object' && typeof properties === 'object' && additionalProperties === undefined;
    return isOpen ? { ...Object(node), additionalProperties: false } : node;
  });
}

const patternOf = (template: string): RegExp => new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
