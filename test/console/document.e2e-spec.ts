import { redoclyFindings } from '../support/redocly.js';
import { startWorld, type World } from '../support/world.js';
import type { OpenAPIObject } from '@nestjs/swagger';

let world: World;
let ofConsole: OpenAPIObject;
let ofMerchants: OpenAPIObject;
beforeAll(async () => {
  world = await startWorld({ env: { WALLET_POOL_TARGET: '0' } });
  const documentAt = async (path: string): Promise<OpenAPIObject> =>
    JSON.parse(await (await fetch(world.url + path)).text());
  [ofConsole, ofMerchants] = await Promise.all([documentAt('/admin/api/openapi.json'), documentAt('/openapi.json')]);
});
afterAll(() => world.stop());

const schemasOf = ({ components }: OpenAPIObject): string[] => Object.keys(components?.schemas ?? {});

/** The names of the schemas that some part of a document references. */
const referencedIn = (document: OpenAPIObject): Set<string | undefined> =>
  new Set([...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name));

describe('the documents of the two APIs', () => {
  it('have no operation of each other', () => {
    const paths = Object.keys(ofConsole.paths);
    expect(paths).toContain('/admin/api/session');
    expect(paths.filter((path) => !path.startsWith('/admin/api/'))).toEqual([]);
    expect(Object.keys(ofMerchants.paths).filter((path) => !path.startsWith('/v1/'))).toEqual([]);
  });

  it('have no schema that only the other one uses', () => {
    expect(schemasOf(ofConsole).filter((name) => !referencedIn(ofConsole).has(name))).toEqual([]);
    expect(schemasOf(ofMerchants)).not.toContain('Session');
  });
});

describe("the console's document", () => {
  it('has no error and no warning under the recommended rules of redocly', async () => {
    expect(await redoclyFindings(ofConsole)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });

  it('requires the session cookie everywhere but to sign in and to accept an invitation', () => {
    expect(ofConsole.components?.securitySchemes).toMatchObject({ session: { type: 'apiKey', in: 'cookie' } });
    expect(ofConsole.security).toEqual([{ session: [] }]);
    const open = Object.entries(ofConsole.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { security }]) => (security === undefined ? [] : [`${method} ${path}`])),
    );
    expect(open).toEqual([
      'post /admin/api/session',
      'post /admin/api/invitations/read',
      'post /admin/api/invitations/accept',
    ]);
  });

  it('names tags of its list only', () => {
    const known = new Set(ofConsole.tags?.map(({ name }) => name));
    const used = Object.values(ofConsole.paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags));
    expect(used.filter((tag) => !known.has(tag))).toEqual([]);
  });
});
