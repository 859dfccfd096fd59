import { z } from 'zod';
import { isNullableField } from './request-schema.js';

type JsonSchema = Record<string, unknown>;

/** A schema of the document, and the named ones it refers to. */
export interface ConvertedSchema {
  readonly schema: JsonSchema;
  readonly components: Record<string, JsonSchema>;
}

/**
 * Turns zod schemas into JSON Schema 2020-12, the dialect of OpenAPI 3.1; those with `.meta({ id })` become components.
 * One converter serves one document: it throws when an id comes to name two different schemas, which happens when a
 * schema with defaults is used for requests and for responses.
 */
export class SchemaConverter {
  private readonly known = new Map<string, string>();

  /** For Nest, which moves the references `#/$defs/...` to the components itself. */
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

  /** For the places that we write into the document ourselves. */
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

/** What zod passes to an override: a schema, and its JSON Schema to change in place. */
interface Override {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: JsonSchema;
}

/** Requests: an optional field of a body may be null. */
function allowNull({ zodSchema, jsonSchema }: Override): void {
  if (!isNullableField(zodSchema)) return;
  const { type, enum: values } = jsonSchema;
  if (typeof type !== 'string') throw new Error('An optional field of a request body needs one JSON type.');
  jsonSchema['type'] = [type, 'null'];
  if (Array.isArray(values)) jsonSchema['enum'] = [...values, null];
}

/** Responses: a later version may add fields, so the document does not forbid them. */
function open({ jsonSchema }: Override): void {
  if (jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
}
