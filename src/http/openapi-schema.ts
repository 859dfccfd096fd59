import { z } from 'zod';
import { isNullableField } from './request-schema.js';

type JsonSchema = Record<string, unknown>;

/** A schema of the document, and the named schemas that it references. */
export interface ConvertedSchema {
  readonly schema: JsonSchema;
  readonly components: Record<string, JsonSchema>;
}

/**
 * Converts zod schemas to JSON Schema 2020-12, the dialect of OpenAPI 3.1; those with `.meta({ id })` become components.
 * Use one converter per document: it throws when an id names two different schemas, as happens when a schema with defaults
 * is used for both requests and responses.
 */
export class SchemaConverter {
  private readonly known = new Map<string, string>();

  /** Converts for Nest, which moves the references `#/$defs/...` to the components itself. */
  convert(schema: z.ZodType, io: 'input' | 'output'): ConvertedSchema {
    const {
      $schema: _dialect,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      override: io === 'input' ? allowNull : open,
    });
    for (const [id, definition] of Object.entries($defs)) this.assertSame(id, JSON.stringify(definition));
    return { schema: rest, components: $defs };
  }

  /** Converts for the parts of the document that we write ourselves. */
  convertForDocument(schema: z.ZodType, io: 'input' | 'output'): ConvertedSchema {
    const text = JSON.stringify(this.convert(schema, io)).replaceAll('"#/$defs/', '"#/components/schemas/');
    const moved: ConvertedSchema = JSON.parse(text);
    return moved;
  }

  private assertSame(id: string, definition: string): void {
    const first = this.known.get(id) ?? definition;
    if (first !== definition) throw new Error(`The schema id ${id} names two different schemas.`);
    this.known.set(id, first);
  }
}

/** The argument of zod's override: a schema, and its JSON Schema to change in place. */
interface Override {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: JsonSchema;
}

/** For requests: an optional field of a body may be null. */
function allowNull({ zodSchema, jsonSchema }: Override): void {
  if (!isNullableField(zodSchema)) return;
  const { type, enum: values } = jsonSchema;
  if (typeof type !== 'string') throw new Error('An optional field of a request body needs one JSON type.');
  jsonSchema['type'] = [type, 'null'];
  if (Array.isArray(values)) jsonSchema['enum'] = [...values, null];
}

/** For responses: a later version may add fields, so the document does not forbid them. */
function open({ jsonSchema }: Override): void {
  if (jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
}
