import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSandboxFile } from '../../app/start/first-run.js';
import { type DataDirLock, lockDataDir } from '../../platform/data-dir.js';
import { awaitRunningSandbox } from './demo-service.js';

let dir: string;
let server: Server;
let lock: DataDirLock;
let hasWaited: boolean;
beforeEach(async () => {
  hasWaited = false;
  dir = await mkdtemp(join(tmpdir(), 'coffer-demo-service-'));
  server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  lock = await lockDataDir(dir);
});
afterEach(async () => {
  await lock.release();
  server.close();
  await rm(dir, { recursive: true });
});

/** What the service does at the end of its start. */
async function describeSandbox(): Promise<void> {
  const address = server.address();
  await writeSandboxFile(dir, {
    apiUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    apiKey: 'sk_sb_1',
    merchantId: 'mer_1',
    chains: [],
    pockets: {},
    admin: { email: 'admin@localhost', password: null },
  });
}

/** Looks for the sandbox, and calls `meanwhile` once it waits. */
const find = (meanwhile: () => Promise<void> = async () => undefined) => {
  const { promise: waiting, resolve: startsToWait } = Promise.withResolvers<void>();
  const found = awaitRunningSandbox(dir, () => {
    hasWaited = true;
    startsToWait();
  });
  void waiting.then(meanwhile);
  return found;
};

it('finds the sandbox that runs on a data directory', async () => {
  await describeSandbox();
  expect(await find()).toMatchObject({ api_key: 'sk_sb_1' });
  expect(hasWaited).toBe(false);
});

it('waits for a service that is still starting', async () => {
  expect(await find(describeSandbox)).toMatchObject({ api_key: 'sk_sb_1' });
  expect(hasWaited).toBe(true);
});

it('finds none once the service that was starting has ended', async () => {
  expect(await find(() => lock.release())).toBeNull();
  expect(hasWaited).toBe(true);
});

it('does not wait where no service holds the directory, although its file is still there', async () => {
  await describeSandbox();
  server.close();
  server.closeAllConnections();
  await lock.release();
  expect(await find()).toBeNull();
  expect(hasWaited).toBe(false);
});
