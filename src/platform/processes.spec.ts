import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { runTypeScriptChild } from '../../test/support/typescript-child.js';
import { findFreePort, isPidAlive, isPortFree, waitFor } from './processes.js';

describe('ports', () => {
  let server: Server;
  let taken: number;

  beforeEach(async () => {
    taken = await findFreePort(0);
    server = createServer().listen(taken, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => server.close());

  it('sees that a port is taken, and that it is free after the server has closed', async () => {
    expect(await isPortFree(taken)).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await isPortFree(taken)).toBe(true);
  });

  it('moves upward from a taken port', async () => {
    expect(await findFreePort(taken)).toBeGreaterThan(taken);
  });

  it('returns a real port for 0', async () => {
    expect(await findFreePort(0)).toBeGreaterThan(1023);
  });
});

describe('isPidAlive', () => {
  it('recognises a running process, one of another user, and a killed one', async () => {
    const child = await runTypeScriptChild(`console.log('up'); setInterval(() => {}, 1000);`);
    expect(isPidAlive(child.pid)).toBe(true);
    await child.kill();
    expect(isPidAlive(child.pid)).toBe(false);
    expect(isPidAlive(1)).toBe(true);
  });
});

describe('isPidAlive for a zombie', () => {
  it('is false, because a process that its parent has not reaped yet does nothing', async () => {
    // The shell starts a child, prints its id and becomes a program that never reaps children.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60']);
    const [printed] = await once(parent.stdout, 'data');
    expect(await waitFor(() => (isPidAlive(Number(String(printed))) ? null : true), 5_000)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });
});

describe('waitFor', () => {
  it('returns the first result that is not null', async () => {
    let asked = 0;
    expect(await waitFor(() => ((asked += 1) < 3 ? null : asked), 5_000)).toBe(3);
  });

  it('returns null after the timeout, with at least one call', async () => {
    let asked = 0;
    expect(await waitFor(() => ((asked += 1), null), 0)).toBeNull();
    expect(asked).toBe(1);
  });
});
