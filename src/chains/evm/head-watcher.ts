import { randomInt } from 'node:crypto';
import { isRecord } from '../rpc/json-rpc.js';
import { parseRpcEndpoint, type RpcEndpoint } from '../rpc/rpc-endpoint.js';

const SUBSCRIBE_ID = 1;
const HEARTBEAT_ID = 2;

export interface HeadWatcherOptions {
  /** Interval in which the node must send something; on a quiet chain it answers a heartbeat. */
  readonly heartbeatMs?: number;
  readonly backoffMinMs?: number;
  readonly backoffMaxMs?: number;
}

/**
 * Subscribes to a node's `newHeads`, and reconnects without end, with growing pauses. It calls `onHead` for each head and
 * after each subscription, because heads may have been missed in between. It never fails; callers that need certainty poll.
 */
export class HeadWatcher {
  private readonly endpoint: RpcEndpoint;
  private readonly heartbeatMs: number;
  private readonly backoffMinMs: number;
  private readonly backoffMaxMs: number;
  private socket: WebSocket | null = null;
  /** The next heartbeat while there is a socket, the next connection while there is none. */
  private timer: NodeJS.Timeout | undefined;
  private hasHeard = false;
  private failures = 0;

  constructor(
    wsUrl: string,
    private readonly onHead: () => void,
    options: HeadWatcherOptions = {},
  ) {
    this.endpoint = parseRpcEndpoint(wsUrl, ['ws:', 'wss:']);
    this.heartbeatMs = options.heartbeatMs ?? 15_000;
    this.backoffMinMs = options.backoffMinMs ?? 500;
    this.backoffMaxMs = options.backoffMaxMs ?? 30_000;
    this.connect();
  }

  /** Stops permanently; `onHead` is not called again. */
  close(): void {
    this.drop();
  }

  private connect(): void {
    const socket = new WebSocket(this.endpoint.url, { headers: this.endpoint.headers });
    this.socket = socket;
    this.hasHeard = false;
    const on = (type: 'open' | 'message' | 'error' | 'close', act: (event: Event) => void): void => {
      // A socket that was dropped may still send events; only those of the current one count.
      socket.addEventListener(type, (event: Event) => this.socket === socket && act(event));
    };
    on('open', () => this.send(SUBSCRIBE_ID, 'eth_subscribe', ['newHeads']));
    on('message', (event) => this.receive('data' in event ? event.data : null));
    on('error', () => this.reconnect());
    on('close', () => this.reconnect());
    this.timer = setTimeout(() => this.beat(), this.heartbeatMs);
  }

  /** Drops a connection that was silent for a whole interval, because a connection can die without a close. */
  private beat(): void {
    if (!this.hasHeard) {
      this.reconnect();
      return;
    }
    this.hasHeard = false;
    this.send(HEARTBEAT_ID, 'eth_chainId', []);
    this.timer = setTimeout(() => this.beat(), this.heartbeatMs);
  }

  private receive(data: unknown): void {
    this.hasHeard = true;
    const message = parseMessage(data);
    if (message['method'] === 'eth_subscription') this.onHead();
    if (message['id'] !== SUBSCRIBE_ID) return;
    if ('error' in message) {
      this.reconnect();
      return;
    }
    this.failures = 0;
    this.onHead();
  }

  private reconnect(): void {
    this.drop();
    const pauseMs = Math.min(this.backoffMinMs * 2 ** this.failures, this.backoffMaxMs);
    this.failures += 1;
    // Half of the pause is random, so that the watchers of a restarted node do not return at once.
    this.timer = setTimeout(() => this.connect(), pauseMs - randomInt(Math.floor(pauseMs / 2) + 1));
  }

  private drop(): void {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  private send(id: number, method: string, params: readonly unknown[]): void {
    this.socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }
}

function parseMessage(data: unknown): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(String(data));
    return isRecord(message) ? message : {};
  } catch {
    return {};
  }
}
