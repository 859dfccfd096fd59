import { z } from 'zod';
import type { Fault } from './fault.js';
import { heightIn } from './block-numbers.js';
import type { RpcQuestion, RpcRequest } from './rpc-message.js';
import type { HttpReply } from './true-node.js';

const DELAY_MIN_MS = 100;
const DELAY_MAX_MS = 1_500;
/** The length of the runs in which a flapping node answers or does not answer. */
const FLAP_REQUESTS = 4;
const BATCH_MAX = 2;
const RANGE_BLOCKS_MAX = 10;
const RANGE = z.looseObject({ fromBlock: z.string(), toBlock: z.string() });

const PAGE =
  '<!doctype html><html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>';

const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): HttpReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/** Returns one error for all calls: an object, also for a batch. */
function errorReply({ questions, isBatch }: RpcRequest, code: number, message: string): HttpReply {
  return json({ jsonrpc: '2.0', id: isBatch ? null : (questions[0]?.id ?? null), error: { code, message } });
}

function spansTooMuch({ method, params: [filter] }: RpcQuestion): boolean {
  const range = method === 'eth_getLogs' ? RANGE.safeParse(filter).data : undefined;
  const [from, to] = [heightIn(range?.fromBlock), heightIn(range?.toBlock)];
  return from !== null && to !== null && to - from >= RANGE_BLOCKS_MAX;
}

/** Faults between the node and its client, independent of the call. */
export const WIRE_FAULTS: readonly Fault[] = [
  {
    name: 'wrong-id',
    about: 'answers with an id that was not requested',
    begin: () => ({
      kind: 'envelope',
      pack: (answers) => answers.map((answer, index) => (index === 0 ? { ...answer, id: 'another' } : answer)),
    }),
  },
  {
    name: 'permuted-batch',
    about: 'answers a batch in another order',
    begin: () => ({ kind: 'envelope', pack: (answers) => answers.toReversed() }),
  },
  {
    name: 'missing-member',
    about: 'leaves out one answer of a batch',
    begin: () => ({ kind: 'envelope', pack: (answers) => (answers.length > 1 ? answers.slice(0, -1) : answers) }),
  },
  {
    name: 'html',
    about: 'answers with a web page and status 200',
    begin: () => ({
      kind: 'wire',
      send: () => ({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: PAGE }),
    }),
  },
  {
    name: 'error',
    about: 'answers with an error object and status 200',
    begin: () => ({ kind: 'wire', send: (request) => errorReply(request, -32_603, 'internal error') }),
  },
  {
    name: '429',
    about: 'answers 429 with Retry-After',
    begin: () => ({
      kind: 'wire',
      send: () => json({ message: 'Too many requests' }, 429, { 'retry-after': '1' }),
    }),
  },
  {
    name: '503',
    about: 'answers 503',
    begin: () => ({
      kind: 'wire',
      send: () => ({ status: 503, headers: { 'content-type': 'text/plain' }, body: 'no available server\n' }),
    }),
  },
  {
    name: 'timeout',
    about: 'accepts the request and never answers',
    begin: () => ({ kind: 'wire', send: () => 'nothing' }),
  },
  {
    name: 'reset',
    about: 'resets the connection',
    begin: () => ({ kind: 'wire', send: () => 'reset' }),
  },
  {
    name: 'half-body',
    about: 'closes the connection in the middle of the answer',
    begin: () => ({ kind: 'wire', send: async (_request, honest) => ({ half: await honest() }) }),
  },
  {
    name: 'range-too-large',
    about: `refuses batches of more than ${BATCH_MAX} and logs of more than ${RANGE_BLOCKS_MAX} blocks`,
    begin: () => ({
      kind: 'wire',
      send: (request) => {
        if (request.questions.length > BATCH_MAX) return errorReply(request, -32_005, 'batch too large');
        return request.questions.some(spansTooMuch) ? errorReply(request, -32_005, 'block range is too wide') : null;
      },
    }),
  },
  {
    name: 'flapping',
    about: `resets ${FLAP_REQUESTS} requests, answers ${FLAP_REQUESTS}, and so on`,
    begin: () => {
      let requests = 0;
      return { kind: 'wire', send: () => (requests++ % (2 * FLAP_REQUESTS) < FLAP_REQUESTS ? 'reset' : null) };
    },
  },
  {
    name: 'slow',
    about: `answers after ${DELAY_MIN_MS} to ${DELAY_MAX_MS} ms`,
    begin: (random) => ({ kind: 'delay', delayMs: () => DELAY_MIN_MS + random.below(DELAY_MAX_MS - DELAY_MIN_MS) }),
  },
];
