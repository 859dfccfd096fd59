import { PAGES } from '../../admin-ui/src/app/route-table.js';
import { DETAILS, visitsOf } from '../../scripts/screenshots/visits.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

describe('the pictures of the console', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await freshDatabase();
  });
  afterAll(() => db.drop());

  it('show every page of the route table', async () => {
    const { visits, missing } = await visitsOf(() => Promise.resolve('some_id'));
    const shown = (path: string): boolean => {
      const [start = ''] = `/admin${path.replace('$environment', 'sandbox')}`.split('$id');
      return visits.some((visit) => visit.path === start || visit.path === `${start}some_id`);
    };
    const unseen = Object.values(PAGES).filter(({ path }) => !shown(path) && !path.endsWith('/search'));
    expect(unseen).toEqual([]);
    expect(visits.find(({ name }) => name === 'search')?.path).toBe('/admin/sandbox/searchsome_id');
    expect(missing).toEqual([]);
    expect(new Set(visits.map(({ name }) => name)).size).toBe(visits.length);
  });

  it('name what a month does not have', async () => {
    const { visits, missing } = await visitsOf(() => Promise.resolve(null));
    const states = Object.entries(DETAILS).flatMap(([page, found]) =>
      Object.keys(found).map((state) => `${page}-${state}`),
    );
    expect(missing).toEqual(states);
    expect(visits.some(({ path }) => path.includes('$'))).toBe(false);
  });

  it('find what they show by statements that the schema knows', async () => {
    const found = await visitsOf(async (statement) => {
      const [row] = await db.query<{ id: string }>(statement);
      return row?.id ?? null;
    });
    expect(found.missing.length).toBeGreaterThan(0);
  });
});
