import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { TronNode } from '../chain/tron-node.js';
import { CONTROL_PATH } from '../control/control-calls.js';
import { ControlServer, OrderedFailures } from '../control/control-server.js';
import { jsonText, type Json } from '../wire/json.js';
import { isObject } from '../wire/message-json.js';
import { ACCOUNT_CALLS, FULL_NODE_ACCOUNT_CALLS } from './account-calls.js';
import { BLOCK_CALLS } from './block-calls.js';
import { BROADCAST_CALLS } from './broadcast-calls.js';
import { BUILD_CALLS } from './build-calls.js';
import { CONSTANT_CALLS, FULL_NODE_CONTRACT_CALLS } from './contract-calls.js';
import { errorText } from './error-text.js';
import { FULL_NODE_CALLS, NODE_CALLS } from './node-calls.js';
import { NodeView } from './node-view.js';
import { RequestParams, type Handlers } from './request.js';
import { TRANSACTION_CALLS } from './transaction-calls.js';

const BODY_BYTES_MAX = 4 * 1024 * 1024;

const SOLID_CALLS: Handlers = {
  ...BLOCK_CALLS,
  ...TRANSACTION_CALLS,
  ...ACCOUNT_CALLS,
  ...CONSTANT_CALLS,
  ...NODE_CALLS,
};
const FULL_CALLS: Handlers = {
  ...SOLID_CALLS,
  ...FULL_NODE_ACCOUNT_CALLS,
  ...FULL_NODE_CONTRACT_CALLS,
  ...FULL_NODE_CALLS,
  ...BUILD_CALLS,
  ...BROADCAST_CALLS,
};

interface Answer {
  readonly status: number;
  /** Null: the connection ends without an answer. */
  readonly body: Json | null;
}

/** Serves both interfaces of a node and the control calls; it does not listen yet. */
export function tronServer(node: TronNode): Server {
  const failures = new OrderedFailures();
  const control = new ControlServer(node, failures);
  const views = {
    wallet: { view: new NodeView(node, false), calls: FULL_CALLS },
    walletsolidity: { view: new NodeView(node, true), calls: SOLID_CALLS },
  };

  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const body = await bodyOf(request);
    const [, name, call = ''] = url.pathname.split('/');
    if (`/${name}/` === CONTROL_PATH) return controlled(control, call, body);
    const known = name === 'wallet' || name === 'walletsolidity' ? views[name] : undefined;
    const handler = known?.calls[call];
    if (known === undefined || handler === undefined) return { status: 404, body: {} };
    const failure = failures.take(call);
    if (failure === 'unavailable') return { status: 503, body: {} };
    if (failure === 'busy' || failure === 'unsolidified') node.refuseNext(failure);
    const query = Object.fromEntries(url.searchParams);
    const answer = await answered(async () => handler(new RequestParams({ ...query, ...parsed(body) }), known.view));
    return { status: 200, body: failure === 'no_answer' ? null : answer };
  };

  return createServer((request, response) => {
    void answerTo(request)
      .catch((error: unknown): Answer => ({ status: 500, body: { error: messageOf(error) } }))
      .then((answer) => send(response, answer));
  });
}

function send(response: ServerResponse, { status, body }: Answer): void {
  if (body === null) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(jsonText(body));
}

async function controlled(control: ControlServer, call: string, body: string): Promise<Answer> {
  try {
    const { info, transactionId } = await control.run(call, parsed(body));
    return { status: 200, body: { info, ...(transactionId === undefined ? {} : { transactionId }) } };
  } catch (error) {
    return { status: 400, body: { error: messageOf(error) } };
  }
}

/** Java-tron answers errors with status 200. */
async function answered(work: () => Promise<Json>): Promise<Json> {
  try {
    return await work();
  } catch (error) {
    const text = errorText(error);
    if (text === null) throw error;
    return { Error: text };
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > BODY_BYTES_MAX) throw new Error(`The body is longer than ${BODY_BYTES_MAX} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  const value: unknown = body.trim() === '' ? {} : JSON.parse(body);
  return isObject(value) ? value : {};
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
