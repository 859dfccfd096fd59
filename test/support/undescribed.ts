interface Node {
  readonly type?: unknown;
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
}

/** The document as a tree of which only the parts are known that descriptions are asked of. */
export interface Described {
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
}

/**
 * Names each property of each object schema, and each parameter and header, of an OpenAPI document that has no
 * description. A property that refers to a component may leave its description to it.
 */
export function undescribed(document: Described): string[] {
  const isDescribed = ({ description, $ref }: Node): boolean => {
    const referred =
      $ref?.startsWith('#/components/schemas/') === true ? document.components.schemas[nameOf($ref)] : {};
    return (description ?? referred?.description ?? '').trim() !== '';
  };
  const found: string[] = [];
  walk(document, '', (node, path) => {
    for (const [name, property] of Object.entries(propertiesOf(node))) {
      if (!isDescribed(property)) found.push(`${path}.${name}`);
    }
    if ((isParameter(node) || /\.headers\.[^.]+$/.test(path)) && !('$ref' in node) && !isDescribed(node))
      found.push(path);
  });
  return found;
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? '';

const isParameter = (node: Node): boolean => 'in' in node && 'name' in node;

/** A schema has `properties`; so may an example, which is no schema. */
const propertiesOf = (node: Node): Readonly<Record<string, Node>> =>
  typeof node.properties === 'object' && node.type !== undefined ? node.properties : {};

function walk(node: unknown, path: string, visit: (node: Node, path: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  visit(node, path);
  for (const [key, child] of Object.entries(node)) {
    if (key !== 'example' && key !== 'examples') walk(child, `${path}.${key}`, visit);
  }
}
