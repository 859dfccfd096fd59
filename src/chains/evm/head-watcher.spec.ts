import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { AnvilNode } from '../../../test/support/anvil-node.js';
import { eventually } from '../../../test/support/eventually.js';
import { listenLocally } from '../../../test/support/fake-node.js';
import { unsharedPort } from '../../../test/support/unshared-port.js';
import { HeadWatcher } from './head-watcher.js';

const IMPATIENT = { heartbeatMs: 100, backoffMinMs: 20, backoffMaxMs: 100 };

/** Counts calls and lets a spec wait for the next one. */
class Counter {
  count = 0;

  readonly hit = (): void => {
    this.count += 1;
  };

  async reaches(count: number): Promise<void> {
    await eventually(
      () => this.count,
      (seen) => seen >= count,
    );
  }
}

describe('HeadWatcher', () => {
  it('announces each head, also after the node was down', async () => {
    const heads = new Counter();
    const first = await AnvilNode.start({ port: await unsharedPort() });
    const watcher = new HeadWatcher(first.wsUrl, heads.hit, IMPATIENT);
    await heads.reaches(1);
    await first.mine();
    await heads.reaches(2);
    await first.stop();

    const second = await AnvilNode.start({ port: first.port });
    await heads.reaches(3);
    await second.mine();
    await heads.reaches(4);
    watcher.close();
    await second.stop();
  });

  it('[F-74] drops a connection that fell silent without a close, and reconnects', async () => {
    const connections = new Counter();
    const silent = await silentServer(connections.hit);
    const watcher = new HeadWatcher(silent.wsUrl, () => undefined, IMPATIENT);
    await connections.reaches(3);
    watcher.close();
    await silent.stop();
  });

  it('[F-74] keeps a quiet chain connected: an answer to the heartbeat is a sign of life', async () => {
    const heads = new Counter();
    const node = await AnvilNode.start();
    const options = { ...IMPATIENT, heartbeatMs: 1_000 };
    const watcher = new HeadWatcher(node.wsUrl, heads.hit, options);
    await heads.reaches(1);
    // Each reconnect to a silent server takes a beat and more, so they measure the time in beats.
    const beats = new Counter();
    const silent = await silentServer(beats.hit);
    const clock = new HeadWatcher(silent.wsUrl, () => undefined, options);
    await beats.reaches(3);
    // Every subscription counts as a head, so a reconnect would show.
    expect(heads.count).toBe(1);
    clock.close();
    watcher.close();
    await silent.stop();
    await node.stop();
  });

  it('refuses a URL that is no websocket’s', () => {
    expect(() => new HeadWatcher('http://127.0.0.1:1', () => undefined)).toThrow('start with ws:// or wss://');
  });
});

/** A websocket server that completes the handshake and then stays silent. */
async function silentServer(onConnection: () => void): Promise<{ wsUrl: string; stop(): Promise<void> }> {
  const sockets: Socket[] = [];
  const server = createServer();
  server.on('upgrade', (request, socket: Socket) => {
    sockets.push(socket);
    // The handshake of RFC 6455, section 4.2.2.
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
    socket.on('error', () => undefined);
    onConnection();
  });
  const wsUrl = `ws://127.0.0.1:${await listenLocally(server)}`;
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { wsUrl, stop };
}
