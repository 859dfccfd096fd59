import { ChainUnavailable, NodeBusy } from '../chain.js';
import { isRecord } from '../rpc/json-rpc.js';
import { parseRpcEndpoint, type RpcEndpoint } from '../rpc/rpc-endpoint.js';
import { RpcTransport, type RpcTransportOptions } from '../rpc/rpc-transport.js';
import { ConcurrencyLimit } from './concurrency-limit.js';

const HTTP_OK = 200;
/** There are no batches: a step sends many requests, and nodes limit how many they answer at once. */
const REQUESTS_AT_ONCE = 8;
/** A node that is over its own rate limit says so with status 200. */
const OVER_LIMIT = 'lack of computing resources';
const OVER_LIMIT_PAUSE_MS = 1_000;

/** `wallet` answers as of the head, `walletsolidity` as of the newest final block. */
export type TronInterface = 'wallet' | 'walletsolidity';

/** The fragment of a URL that states the port of the interface of final blocks, such as `#solidity=8091`. */
const SOLIDITY_PORT = /^#solidity=([1-9]\d{0,4})$/;

/**
 * The HTTP interfaces of one node. Both are below its URL, as with providers, or that of final blocks is at another port of
 * the same host, which the fragment states: java-tron's own are 8090 and 8091 (`node.http.solidityPort`). Every answer that is not JSON with status 200, and every error of the
 * node, becomes `ChainUnavailable`. https://tronprotocol.github.io/documentation-en/api/http/
 */
export class TronHttp {
  private readonly transport: RpcTransport;
  /** Of the node itself, for messages. */
  private readonly endpoint: RpcEndpoint;
  private readonly endpoints: Readonly<Record<TronInterface, RpcEndpoint>>;
  private readonly requests = new ConcurrencyLimit(REQUESTS_AT_ONCE);

  constructor(url: string, options: RpcTransportOptions = {}) {
    this.transport = new RpcTransport(url, options);
    this.endpoint = this.transport.endpoint;
    this.endpoints = { wallet: this.endpoint, walletsolidity: parseRpcEndpoint(solidityUrl(url)) };
  }

  /** Calls a method, and returns the node's answer. Addresses are in hex. */
  async ask(of: TronInterface, method: string, params: object): Promise<unknown> {
    const text = await this.requests.run(() => this.post(of, method, JSON.stringify(params)));
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch (cause) {
      throw new ChainUnavailable(`${this.endpoint.label} answered ${method} with something that is not JSON.`, {
        cause,
      });
    }
    if (isRecord(answer) && 'Error' in answer) throw this.refusal(method, String(answer['Error']));
    return answer;
  }

  /** Closes the connections; requests in flight fail. */
  async close(): Promise<void> {
    await this.transport.close();
  }

  private async post(of: TronInterface, method: string, body: string): Promise<string> {
    const path = `${of}/${method}`;
    const endpoint = this.endpoints[of];
    const { status, text } = await this.transport.post(body, path, endpoint.at(path));
    if (status === HTTP_OK) return text;
    throw new ChainUnavailable(`${endpoint.label} answered ${path} with HTTP ${status}.`);
  }

  private refusal(method: string, error: string): ChainUnavailable {
    const message = `${this.endpoint.label} refused ${method}: ${this.endpoint.redact(error)}`;
    return error.includes(OVER_LIMIT) ? new NodeBusy(message, OVER_LIMIT_PAUSE_MS) : new ChainUnavailable(message);
  }
}

/** Returns the URL of the interface of final blocks. The error for an invalid fragment does not contain the URL. */
function solidityUrl(text: string): string {
  const url = new URL(text);
  if (url.hash === '') return text;
  const port = SOLIDITY_PORT.exec(url.hash)?.[1];
  if (port === undefined)
    throw new Error('The URL of a node of tron may end in #solidity=PORT, and in no other fragment.');
  url.port = port;
  return url.href;
}
