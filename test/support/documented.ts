import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Operation {
  readonly responses: Record<string, { content?: Record<string, { schema?: object; examples?: object }> }>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
}

const documents = new Map<string, Promise<{ document: Document; ajv: Ajv2020 }>>();

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
  const { document, ajv } = await documentOf(url + (path.startsWith('/admin/api/') ? '/admin/api' : ''));
  const [pathname = ''] = path.split('?', 1);
  const template = Object.keys(document.paths).find((candidate) => matches(candidate, pathname));
  const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
  if (template === undefined || operation === undefined) return;
  const { schema, examples } = operation.responses[String(status)]?.content?.['application/json'] ?? {};
  if (schema === undefined) throw new Error(`${method} ${template} answered ${status}, which is not documented.`);
  const validate = validatorOf(ajv, `${method} ${template} ${status}`, schema);
  if (!validate(body)) {
    throw new Error(`${method} ${template} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
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

const validators = new WeakMap<Ajv2020, Map<string, ValidateFunction>>();

function validatorOf(ajv: Ajv2020, key: string, schema: object): ValidateFunction {
  const known = validators.get(ajv) ?? new Map<string, ValidateFunction>();
  validators.set(ajv, known);
  const validate = known.get(key) ?? ajv.compile(closedSchema(schema));
  known.set(key, validate);
  return validate;
}

function documentOf(url: string): Promise<{ document: Document; ajv: Ajv2020 }> {
  const known = documents.get(url);
  if (known !== undefined) return known;
  const loading = fetch(`${url}/openapi.json`)
    .then((response) => response.json() as Promise<Document>)
    .then((document) => {
      const ajv = new Ajv2020({ strict: false, allErrors: true });
      addFormats.default(ajv);
      ajv.addSchema({ ...closedSchema(document), $id: 'openapi' });
      return { document, ajv };
    });
  documents.set(url, loading);
  return loading;
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

function matches(template: string, path: string): boolean {
  const pattern = template.replaceAll(/\{[^}]+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(path);
}
