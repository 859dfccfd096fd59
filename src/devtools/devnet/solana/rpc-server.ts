import { createServer, type IncomingMessage, type Server } from 'node:http';
import { z } from 'zod';
import { accountMethods } from './account-methods.js';
import { blockMethods } from './block-methods.js';
import { clusterMethods } from './cluster-methods.js';
import { controlMethods } from './control-methods.js';
import { historyMethods } from './history-methods.js';
import type { Methods, SolanaNode } from './node.js';
import { internalError, invalidRequest, methodNotFound, parseError, RpcError } from './rpc-error.js';
import { sendMethods } from './send-methods.js';

/** Agave `MAX_REQUEST_BODY_SIZE`. */
const BODY_BYTES_MAX = 50 * 1024;

const REQUEST = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.array(z.unknown()).nullish(),
});

declare global {
  interface JSON {
    /** Node has it; the types of ES2024 do not. */
    rawJSON(text: string): unknown;
  }
}

/** Makes the HTTP server of a node: JSON-RPC 2.0, single calls and batches, and `GET /health`. */
export function rpcServer(node: SolanaNode, log: (line: string) => void): Server {
  const methods: Methods = {
    ...accountMethods(node),
    ...blockMethods(node),
    ...clusterMethods(node),
    ...controlMethods(node),
    ...historyMethods(node),
    ...sendMethods(node),
  };
  return createServer((request, response) => {
    const answer = (status: number, type: string, text: string): void => {
      response.writeHead(status, { 'content-type': type }).end(text);
    };
    if (request.method === 'GET' && request.url === '/health') {
      answer(200, 'text/plain', node.slotsBehind === null ? 'ok' : 'behind');
    } else if (request.method !== 'POST') {
      answer(405, 'text/plain', 'Used HTTP Method is not allowed. POST is required.');
    } else {
      bodyOf(request).then(
        (body) =>
          body === null
            ? answer(413, 'text/plain', `The body is larger than ${BODY_BYTES_MAX} bytes.`)
            : answer(200, 'application/json; charset=utf-8', answerTo(node, methods, body, log)),
        () => response.destroy(),
      );
    }
  });
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answerTo(node: SolanaNode, methods: Methods, body: string, log: (line: string) => void): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return serialized(failure(null, parseError()));
  }
  return Array.isArray(parsed)
    ? serialized(parsed.map((one) => call(node, methods, one, log)))
    : serialized(call(node, methods, parsed, log));
}

function call(node: SolanaNode, methods: Methods, body: unknown, log: (line: string) => void): object {
  const parsed = REQUEST.safeParse(body);
  if (!parsed.success) return failure(null, invalidRequest());
  const { id = null, method: name, params } = parsed.data;
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) return failure(id, methodNotFound());
  try {
    return { jsonrpc: '2.0', result: node.call(name, method, params ?? []), id };
  } catch (error) {
    if (error instanceof RpcError) return failure(id, error);
    log(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
    return failure(id, internalError());
  }
}

const failure = (id: string | number | null, { code, message, data }: RpcError): object => ({
  jsonrpc: '2.0',
  error: { code, message, ...(data !== undefined && { data }) },
  id,
});

/** Amounts beyond 2^53 stay numbers, as in the answers of a node. */
const serialized = (answer: unknown): string =>
  JSON.stringify(answer, (_key, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value,
  );
