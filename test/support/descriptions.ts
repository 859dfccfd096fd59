interface Node {
  readonly type?: unknown;
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
}

/** The parts of the document that need descriptions. */
export interface Described {
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
}

/** A field of an object schema, and its place: `PaymentIntent.id` for a component, else its path in the document. */
interface Field {
  readonly path: string;
  readonly description: string | undefined;
}

/** Every field of every object schema of the document. A field that references a component may use its description. */
export function fieldsOf(document: Described): Field[] {
  const { schemas } = document.components;
  const descriptionOf = ({ description, $ref = '' }: Node): string | undefined =>
    description ?? schemas[$ref.replace('#/components/schemas/', '')]?.description;
  const found: Field[] = [];
  walk(document, [], (node, path) => {
    // An example may have `properties` too, but no type.
    if (node.type === undefined || typeof node.properties !== 'object') return;
    const place = path.filter((part) => part !== 'properties');
    const from = place[0] === 'components' ? place.slice(2) : place;
    for (const [name, field] of Object.entries(node.properties)) {
      found.push({ path: [...from, name].join('.'), description: descriptionOf(field) });
    }
  });
  return found;
}

/** Lists the fields of object schemas, the parameters and the headers without a description. */
export function undescribed(document: Described): string[] {
  const others: Field[] = [];
  walk(document, [], (node, path) => {
    const isParameter = 'in' in node && 'name' in node;
    const isNamed = isParameter || path.at(-2) === 'headers';
    if (isNamed && node.$ref === undefined) others.push({ path: path.join('.'), description: node.description });
  });
  const fields = [...fieldsOf(document), ...others];
  return fields.filter(({ description = '' }) => description.trim() === '').map(({ path }) => path);
}

function walk(node: unknown, path: readonly string[], visit: (node: Node, path: readonly string[]) => void): void {
  if (typeof node !== 'object' || node === null) return;
  visit(node, path);
  for (const [key, child] of Object.entries(node)) {
    if (key !== 'example' && key !== 'examples') walk(child, [...path, key], visit);
  }
}
