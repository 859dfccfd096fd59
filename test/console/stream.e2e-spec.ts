import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../src/platform/database/database.js';
import { compiled } from '../../src/platform/sql/sql.js';
import { StaffAccounts } from '../../src/staff/staff-accounts.service.js';
import { StaffSessions } from '../../src/staff/staff-sessions.service.js';
import { eventually, eventuallyPasses } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { ChangeStream } from './change-stream.js';
import { ConsoleClient } from './console-client.js';
import { addMember, type ConsoleService, type Member, startConsole } from './console-service.js';

let site: ConsoleService;
let first: ChangeStream;
let isStopped = false;
/** How often the marks of the topics were read. */
let readings = 0;
const opened: ChangeStream[] = [];

beforeAll(async () => {
  site = await startConsole();
  countReadings(site.service.get(Database));
  first = await follow(await anyClient());
});
afterEach(async () => {
  for (const stream of opened.splice(0)) await stream.close();
});
afterAll(async () => {
  await first.close();
  if (!isStopped) await site.stop();
});

/** Counts when they end; the statements run as ever. */
function countReadings(database: Database): void {
  const rows = database.rows.bind(database);
  database.rows = (statement) => {
    const reading = rows(statement);
    return compiled(statement).text.includes('still_open') ? reading.finally(() => readings++) : reading;
  };
}

let members = 0;

async function memberOf(roles: Parameters<typeof addMember>[2]): Promise<Member> {
  return addMember(site, `stream-${members++}@example.com`, roles);
}

/** A browser with an open session, without the time that a sign-in takes. */
async function browserOf({ id }: Member): Promise<ConsoleClient> {
  const client = new ConsoleClient(site.url);
  const sessions = site.service.get(StaffSessions);
  const { token } = await site.database.transaction((tx) => sessions.open(tx, id, '127.0.0.1'));
  client.cookie = `coffer_${new URL(site.url).port}=${token}`;
  return client;
}

const anyClient = async (roles: Parameters<typeof addMember>[2] = { sandbox: 'support' }): Promise<ConsoleClient> =>
  browserOf(await memberOf(roles));

/** Opens a stream and waits until it reports changes. */
async function follow(client: ConsoleClient): Promise<ChangeStream> {
  const stream = await ChangeStream.open(client);
  await eventually(() => stream.of('ready').length > 0);
  return stream;
}

async function following(client: ConsoleClient): Promise<ChangeStream> {
  const stream = await follow(client);
  opened.push(stream);
  return stream;
}

let notes = 0;

const aNote = (environment: 'sandbox' | 'live'): Promise<unknown> =>
  query(
    site.database,
    `insert into note (id, environment, subject_kind, subject_id, author, body)
     values ($1, $2, 'payment_intent', 'pi_1', 'kim@example.com', 'Called.')`,
    [`note_${String(notes++).padStart(6, '0')}`, environment],
  );

const notesIn = (environment: string) => ({ environment, topics: ['notes'] });

describe('the stream of changes', () => {
  it('reports a fact to every reader of its environment, and to nobody else', async () => {
    const [both, onlySandbox, onlyLive] = await Promise.all([
      anyClient({ sandbox: 'viewer', live: 'viewer' }).then(following),
      anyClient({ sandbox: 'viewer' }).then(following),
      anyClient({ live: 'viewer' }).then(following),
    ]);
    await aNote('sandbox');
    await eventuallyPasses(() => {
      expect(both.of('changed')).toEqual([notesIn('sandbox')]);
      expect(onlySandbox.of('changed')).toEqual([notesIn('sandbox')]);
    });
    await aNote('live');
    await eventuallyPasses(() => {
      expect(both.of('changed')).toEqual([notesIn('sandbox'), notesIn('live')]);
      expect(onlyLive.of('changed')).toEqual([notesIn('live')]);
    });
    expect(onlySandbox.of('changed')).toEqual([notesIn('sandbox')]);
  });

  it('is no answer that a proxy may keep or hold back', async () => {
    const { headers } = await following(await anyClient());
    expect(headers.get('Content-Type')).toBe('text/event-stream');
    expect(headers.get('Cache-Control')).toContain('no-store');
    expect(headers.get('X-Accel-Buffering')).toBe('no');
  });

  it('reports a topic once a second at most, with one statement a second for all streams', async () => {
    const [stream] = await Promise.all([anyClient().then(following), anyClient().then(following)]);
    const startedMs = performance.now();
    readings = 0;
    await eventually(async () => {
      await aNote('sandbox');
      return stream.of('changed').length >= 3;
    }, 30_000);
    // Counted before the time is: a slow machine allows more of both.
    const [reported, read] = [stream.of('changed').length, readings];
    const seconds = (performance.now() - startedMs) / 1_000;
    expect(reported).toBeLessThanOrEqual(seconds + 1);
    expect(read).toBeGreaterThanOrEqual(reported);
    expect(read).toBeLessThanOrEqual(seconds + 1);
  });

  it('does not keep a session from becoming idle', async () => {
    const client = await anyClient();
    await query(site.database, `update staff_session set last_active_at = now() - interval '20 minutes'`);
    const stream = await following(client);
    await aNote('sandbox');
    await eventually(() => stream.of('changed').length > 0);
    const active = await query(
      site.database,
      `select id from staff_session where last_active_at > now() - interval '19 minutes'`,
    );
    expect(active).toEqual([]);
  });

  it.each<[how: string, end: (client: ConsoleClient, member: Member) => Promise<unknown>]>([
    ['was signed out', (client) => client.call('DELETE', '/session')],
    [
      'became idle',
      (_client, { id }) =>
        query(
          site.database,
          `update staff_session set last_active_at = now() - interval '31 minutes' where staff_id = $1`,
          [id],
        ),
    ],
    [
      'belongs to a member who was disabled',
      (_client, { email }) =>
        site.database.transaction((tx) => site.service.get(StaffAccounts).disable(tx, email, 'a test')),
    ],
  ])('says that the session has ended, and closes, when it %s', async (_how, end) => {
    const member = await memberOf({ sandbox: 'support' });
    const client = await browserOf(member);
    const { cookie } = client;
    const stream = await following(client);
    await end(client, member);
    await eventually(() => stream.isClosed);
    expect(stream.of('end')).toEqual([{ reason: 'session_ended' }]);
    client.cookie = cookie;
    expect(await client.get('/stream')).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  });

  it('of a session that has three gives way to a newer one', async () => {
    const client = await anyClient();
    const streams = [];
    for (let n = 0; n < 4; n++) streams.push(await following(client));
    const [oldest, ...others] = streams;
    await eventually(() => oldest?.isClosed === true);
    expect(oldest?.of('end')).toEqual([{ reason: 'replaced' }]);
    await aNote('sandbox');
    await eventuallyPasses(() => {
      for (const stream of others) expect(stream.of('changed')).toEqual([notesIn('sandbox')]);
    });
  });

  it('has a heartbeat while nothing happens', async () => {
    await eventually(() => first.heartbeats > 0, 60_000);
  });

  it('reads nothing once nobody listens', async () => {
    await first.close();
    readings = 0;
    const stream = await follow(await anyClient());
    await eventually(() => readings > 0);
    await stream.close();
    let before = -1;
    await eventually(async () => {
      before = readings;
      // More than two intervals in which it would have read again.
      await sleep(2_500);
      return readings === before;
    }, 30_000);
  });

  it('ends when the service stops, which waits for no reader', async () => {
    const stream = await following(await anyClient());
    isStopped = true;
    await site.stop();
    await eventually(() => stream.isClosed);
    expect(stream.of('end')).toEqual([{ reason: 'restarting' }]);
  });
});
