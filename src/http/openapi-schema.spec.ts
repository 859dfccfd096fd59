import { z } from 'zod';
import { SchemaConverter } from './openapi-schema.js';

describe('SchemaConverter', () => {
  const Item = z.object({ limit: z.int().default(1) }).meta({ id: 'Item' });

  it('converts named schemas to components with references', () => {
    const { schema, components } = new SchemaConverter().convertForDocument(z.array(Item), 'output');
    expect(schema).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Item' } });
    expect(components).toMatchObject({ Item: { type: 'object', required: ['limit'] } });
    expect(components['Item']).not.toHaveProperty('additionalProperties');
  });

  it('refuses one id for two different schemas', () => {
    const converter = new SchemaConverter();
    converter.convert(Item, 'output');
    expect(() => converter.convert(Item, 'output')).not.toThrow();
    expect(() => converter.convert(Item, 'input')).toThrow('Item names two different schemas');
  });
});
