import { type ApiDocument, operationsOf, type Schema } from './operations.js';

const TEXT: Schema = { type: 'string' };

/** A document with one POST, whose body has these fields. */
const documentWith = (properties: Readonly<Record<string, Schema>>): ApiDocument => ({
  paths: {
    '/v1/things/{id}/parts/{part_id}': {
      post: {
        operationId: 'join',
        parameters: [{ name: 'starting_after', in: 'query', schema: TEXT }],
        requestBody: {
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Join' }, examples: { one: { value: {} } } },
          },
        },
      },
    },
  },
  components: { schemas: { Join: { type: 'object', properties } } },
});

describe('the operations of a document', () => {
  it('include every place of an id, in path, query and body, at any depth', () => {
    const [operation] = operationsOf(
      documentWith({
        pocket_id: { type: ['string', 'null'] },
        enabled: { type: ['boolean', 'null'] },
        sources: { type: 'array', items: { anyOf: [{ properties: { entry_id: TEXT } }, { type: 'null' }] } },
        token: TEXT,
        limit: { type: 'integer' },
        network: { type: 'string', enum: ['bnb'] },
      }),
    );
    expect(operation).toMatchObject({
      method: 'POST',
      inPath: [
        { name: 'id', collection: 'things' },
        { name: 'part_id', collection: 'parts' },
      ],
      inBody: [
        { name: 'pocket_id', collection: 'pockets' },
        { name: 'entry_id', collection: 'entries' },
      ],
      body: {},
    });
  });

  it('are refused when a text is neither plain nor named like an id, so that new fields must be classified', () => {
    expect(() => operationsOf(documentWith({ customer: TEXT }))).toThrow('takes the text "customer"');
  });
});
